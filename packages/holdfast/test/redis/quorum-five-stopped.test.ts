/** The conformance suite on five nodes, of which one was killed and one is stopped: it takes requests and answers none. */
import { describeQuorum } from './quorum-conformance.ts'

describeQuorum(', one killed, one stopped', 5, async ({ servers }) => {
  await servers[0]?.kill()
  servers[3]?.pause()
  return servers.map(({ url }) => url)
})
