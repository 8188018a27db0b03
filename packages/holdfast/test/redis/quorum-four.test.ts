/** The conformance suite on four nodes, of which one was killed: three are still a majority. */
import { describeQuorum } from './quorum-conformance.ts'

describeQuorum(', one killed', 4, async ({ servers }) => {
  await servers[2]?.kill()
  return servers.map(({ url }) => url)
})
