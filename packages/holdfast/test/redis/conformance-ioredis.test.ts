/** The conformance suite on one Redis server, through ioredis 6. */
import { Redis } from 'ioredis'
import { afterAll } from 'vitest'
import { givenServers } from '../../../../scripts/servers/given.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { describeConformance } from '../conformance/suite.ts'

const { host, port } = givenServers().standalone
const client = new Redis(port, host, { maxRetriesPerRequest: 0 })
afterAll(() => client.disconnect())

describeConformance({ name: 'redis', connect: () => redis(client), ttl: '1s', ttlMs: 1000, buckets: 16, lacks: [] })
