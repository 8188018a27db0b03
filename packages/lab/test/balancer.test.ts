/** The round-robin balancer of the sale, between real HTTP servers. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Balancer, startBalancer } from '../src/sale/balancer.ts'

const open: { close(): unknown }[] = []

afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

async function listen(answer: RequestListener): Promise<Server & { readonly port: number }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(server)
  return Object.assign(server, { port: (server.address() as AddressInfo).port })
}

async function balance(servers: readonly { readonly port: number }[]): Promise<Balancer> {
  const balancer = await startBalancer(servers.map(({ port }) => port))
  open.push(balancer)
  return balancer
}

async function buy({ url }: Balancer): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${url}/buy`, { method: 'POST' })
  return { status: answer.status, text: await answer.text() }
}

test('requests go round', async () => {
  const servers = await Promise.all(['a', 'b', 'c'].map((name) => listen((_, response) => response.end(name))))
  const balancer = await balance(servers)
  const answers: string[] = []
  for (let request = 0; request < 6; request += 1) answers.push((await buy(balancer)).text)
  expect(answers.slice(0, 3).sort()).toEqual(['a', 'b', 'c'])
  expect(answers.slice(3)).toEqual(answers.slice(0, 3))
})

test('a request that a dying server had is answered 502 and not sent again', async () => {
  let asked = 0
  const dying: RequestListener = (request) => {
    asked += 1
    request.socket.destroy()
  }
  const balancer = await balance([await listen(dying), await listen(dying)])
  expect((await buy(balancer)).status).toBe(502)
  expect(asked).toBe(1)
})

test('a server that is gone is passed over', async () => {
  const gone = await listen(() => {})
  const balancer = await balance([gone, await listen((_, response) => response.end('here'))])
  await new Promise((resolve) => gone.close(resolve))
  for (let request = 0; request < 4; request += 1) expect(await buy(balancer)).toEqual({ status: 200, text: 'here' })
})

test('with no server left the answer is 502', async () => {
  const gone = await listen(() => {})
  const balancer = await balance([gone])
  await new Promise((resolve) => gone.close(resolve))
  expect((await buy(balancer)).status).toBe(502)
})
