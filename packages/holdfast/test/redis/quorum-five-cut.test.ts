/** The conformance suite on five nodes, of which two are behind a network that swallows everything. */
import { afterAll } from 'vitest'
import { FaultProxy } from '../../../../scripts/servers/index.ts'
import { describeQuorum } from './quorum-conformance.ts'

const proxies: FaultProxy[] = []
afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())))

describeQuorum(', two cut off', 5, async ({ servers }) => {
  for (const server of servers.slice(0, 2)) {
    const proxy = await FaultProxy.start({ port: server.port })
    proxy.hole()
    proxies.push(proxy)
  }
  return servers.map(({ url }, index) => {
    const proxy = proxies[index]
    return proxy === undefined ? url : `redis://${proxy.host}:${proxy.port}`
  })
})
