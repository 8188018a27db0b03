/** The conformance suite on a quorum whose minority is in trouble from before its first fact on. */
import { afterAll, beforeAll } from 'vitest'
import { chapters } from '../conformance/chapters.ts'
import type { Subject } from '../conformance/fact.ts'
import { describeConformance } from '../conformance/suite.ts'
import { QuorumNodes } from './quorum-nodes.ts'

/** What happens to the nodes; gives the addresses that are used for them. */
export type Trouble = (nodes: QuorumNodes) => Promise<readonly string[]> | readonly string[]

const facts = chapters.reduce((sum, { facts }) => sum + Object.keys(facts).length, 0)

export function describeQuorum(title: string, count: number, trouble: Trouble): void {
  let nodes: QuorumNodes
  let urls: readonly string[] = []
  beforeAll(async () => {
    nodes = await QuorumNodes.start(count)
    await nodes.age(Array.from({ length: facts }, (_, world) => `fact-${process.pid}-${world}`))
    urls = await trouble(nodes)
  })
  afterAll(() => nodes[Symbol.asyncDispose]())
  const subject: Subject = {
    name: `quorum of ${count}${title}`,
    connect: () => nodes.backend(urls),
    ttl: '1s',
    ttlMs: 1000,
    buckets: 1,
    quarantines: true,
    lacks: ['order', 'permits', 'cells', 'detached'],
  }
  describeConformance(subject)
}
