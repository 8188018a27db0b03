/** The conformance suite on the reference store, in the memory of this process. */
import { memory } from '../../src/backends/memory/index.ts'
import { describeConformance } from './suite.ts'

const backend = memory()

describeConformance({ name: 'memory', connect: () => backend, ttl: '1s', ttlMs: 1000, buckets: 1, lacks: [] })
