/** The conformance suite on one Redis server, through ioredis 6. */
import { Redis } from 'ioredis'
import { afterAll } from 'vitest'
import { redis } from '../../src/backends/redis/index.ts'
import { describeConformance } from '../conformance/suite.ts'

const client = new Redis(7101, '127.0.0.1', { maxRetriesPerRequest: 0 })
afterAll(() => client.disconnect())

describeConformance({ name: 'redis', connect: () => redis(client), ttl: '1s', ttlMs: 1000, buckets: 16, lacks: [] })
