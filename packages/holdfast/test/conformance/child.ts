/**
 * A process that runs the suite, or one of the facts about a crowd, on a SQLite file that others use at the same time.
 * Told what to do by a line of JSON in its arguments; writes what did not hold as lines of JSON.
 */
import { sqlite } from '../../src/backends/sqlite/index.ts'
import { holdfast } from '../../src/index.ts'
import { chapters } from './chapters.ts'
import { crowds } from './crowd.ts'
import type { Fact, Subject } from './fact.ts'
import { machine } from './waiting.ts'
import { inWorld } from './world.ts'

export interface Orders {
  readonly file: string
  readonly folder: string
  readonly me: number
  readonly count: number
  /** The sentence of a crowd; null: the suite. */
  readonly crowd: string | null
}

/** Facts that run beside each other; they mostly wait. */
const TOGETHER = 6
/** Four processes on two cores. */
const SLOWNESS = 6

const orders = JSON.parse(process.argv[2] ?? '') as Orders
let held = 0
let failed = 0

async function prove(sentence: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
    held++
  } catch (error) {
    failed++
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
    process.stdout.write(`${JSON.stringify({ sentence, told })}\n`)
  }
}

async function suite(): Promise<void> {
  machine.slowness = SLOWNESS
  machine.answersInMs = 300
  const connect = (): ReturnType<typeof sqlite> => sqlite(orders.file)
  const subject: Subject = { name: 'sqlite', connect, ttl: '3s', ttlMs: 3000, buckets: 1, lacks: [] }
  const named = (alone: boolean): [string, Fact][] =>
    chapters
      .filter((chapter) => (chapter.alone ?? false) === alone)
      .flatMap(({ title, facts }) =>
        Object.entries(facts).map(([sentence, fact]): [string, Fact] => [`${title}: ${sentence}`, fact]),
      )
  const waiting = named(false)
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [sentence, fact] = next
      await prove(sentence, () => inWorld(subject, fact))
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
  for (const [sentence, fact] of named(true)) await prove(sentence, () => inWorld(subject, fact))
}

async function crowd(sentence: string): Promise<void> {
  const locks = holdfast(sqlite(orders.file), { namespace: sentence.slice(0, 100), ttl: '5s' })
  await locks.ready()
  const { folder, me, count } = orders
  await prove(sentence, async () => crowds[sentence]?.({ locks, folder, me, count }))
  await locks.close()
}

process.on('unhandledRejection', (error) => void prove('nothing is left unhandled', () => Promise.reject(error)))
await (orders.crowd === null ? suite() : crowd(orders.crowd))
process.stdout.write(`${JSON.stringify({ held, failed })}\n`)
