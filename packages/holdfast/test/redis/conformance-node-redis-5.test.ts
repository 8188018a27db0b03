/** The conformance suite on one Redis server, through redis 5. */
import { afterAll } from 'vitest'
import { givenServers } from '../../../../scripts/servers/given.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { describeConformance } from '../conformance/suite.ts'
import { libraryNamed } from './libraries.ts'

const made = await libraryNamed('redis 5').alone(givenServers().standalone.port)
afterAll(() => made.end())

describeConformance({
  name: 'redis',
  connect: () => redis(made.client),
  ttl: '1s',
  ttlMs: 1000,
  buckets: 16,
  lacks: [],
})
