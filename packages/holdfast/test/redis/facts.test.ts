/** Every fact of the port on a real Redis server, under a virtual clock. */
import { afterAll, expect, test } from 'vitest'
import { RedisServer } from '../../../../scripts/servers/index.ts'
import { scripts } from '../../src/backends/redis/script.ts'
import { Bench } from '../backends/bench.ts'
import { cellFacts } from '../backends/cell-facts.ts'
import { lineFacts } from '../backends/line-facts.ts'
import { lossFacts } from '../backends/loss-facts.ts'
import { sessionFacts } from '../backends/session-facts.ts'
import { redisStore, steppedText } from './stepped-store.ts'

const server = await RedisServer.start()
afterAll(() => server.stop())
const kind = redisStore(server.port)

test.each(Object.values(scripts).filter(({ name }) => name !== 'touch'))(
  'the script $name reads the clock in one line',
  ({ text }) => {
    const changed = steppedText(text)
    const before = text.split('\n')
    const differing = changed.split('\n').filter((line, index) => line !== before[index])
    expect(differing).toHaveLength(1)
  },
)

const facts = { ...sessionFacts, ...lineFacts, ...cellFacts, ...lossFacts }

test.each(Object.entries(facts))('%s', async (_, fact) => {
  const bench = new Bench(kind)
  try {
    await fact(bench)
  } finally {
    await bench.dispose()
  }
})
