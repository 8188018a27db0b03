/** Every fact of the port, on every store of this machine. */
import { describe, test } from 'vitest'
import { Bench, fileStore, memoryStore, objectStore } from './bench.ts'
import { cellFacts } from './cell-facts.ts'
import { lineFacts } from './line-facts.ts'
import { lossFacts } from './loss-facts.ts'
import { sessionFacts } from './session-facts.ts'

const facts = { ...sessionFacts, ...lineFacts, ...cellFacts, ...lossFacts }

describe.each([memoryStore, fileStore, objectStore])('on $name', (kind) => {
  test.each(Object.entries(facts))('%s', async (_, fact) => {
    const bench = new Bench(kind)
    try {
      await fact(bench)
    } finally {
      await bench.dispose()
    }
  })
})
