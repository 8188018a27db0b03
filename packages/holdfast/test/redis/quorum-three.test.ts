/** The conformance suite on three nodes, all of which are well. */
import { describeQuorum } from './quorum-conformance.ts'

describeQuorum('', 3, ({ servers }) => servers.map(({ url }) => url))
