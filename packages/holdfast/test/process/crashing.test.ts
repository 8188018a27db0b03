/**
 * Two hundred processes that are killed one after another, at random points of taking, holding and giving back, while
 * two others work on the same locks. When it is over everything is free, and the file holds nothing of the dead.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { promises } from './stage/documented.ts'
import { until, within } from './stage/moment.ts'
import type { Party } from './stage/party.ts'
import { onStage, type Stage } from './stage/stage.ts'
import { rowsLeft, soundness, untilRows } from './stage/store-file.ts'

const { options, beatMs, takeoverMs } = promises(1000)
const CRASHES = 200
/** Ready before their turn, so that the machine starts the next while one works. */
const READY = 3
const LIVES_MS = 80
/** Each beat sweeps one kind of rows in turn. */
const SWEEP_BEATS = 30
const LIMIT_MS = 150_000
const BIRTHS = 12
/** About as long as it takes to make the tables. */
const BIRTH_MS = 12

const names = ['a', 'b', 'c', 'd']
const things = [
  ...names.map((name) => ({ kind: 'mutex', name })),
  { kind: 'fair', name: 'a' },
  { kind: 'read', name: 'b' },
  { kind: 'semaphore', name: 'e', capacity: 2 },
]
const plan = { things, tasks: 4, holdMs: 5, wait: '20s' }

interface Counts {
  readonly granted: number
  readonly lost: number
  readonly failed: Record<string, number>
}

async function crash(stage: Stage, count: number): Promise<void> {
  const next: Promise<Party>[] = []
  const prepare = (): void => void next.push(stage.party({ options, ready: false }))
  for (let index = 0; index < READY; index++) prepare()
  for (let index = 0; index < count; index++) {
    const victim = await (next.shift() as Promise<Party>)
    if (index + READY < count) prepare()
    victim.order('work', plan)
    await pause(Math.random() * LIVES_MS)
    victim.kill()
    await victim.ended
  }
}

test(
  'after two hundred crashes under load everything is free within ttl and a beat, and nothing stays in the file',
  onStage(async (stage) => {
    const workers = await stage.parties(2, { options })
    for (const worker of workers) await worker.order('work', plan)
    await crash(stage, CRASHES)
    const crashedMs = performance.now()
    const done = await Promise.all(workers.map((worker) => worker.order<Counts>('rest', {}, 25_000)))
    for (const { value } of done) {
      // How often is a matter of speed; that they worked on is not.
      expect(value.granted).toBeGreaterThan(10)
      expect(value).toMatchObject({ lost: 0, failed: {} })
    }
    await pause(Math.max(0, takeoverMs - (performance.now() - crashedMs)))
    const [first] = workers as [Party, Party]
    for (const thing of things) {
      const as = `${thing.kind} ${thing.name}`
      expect((await first.order('take', { as, thing, verb: 'tryAcquire' })).value, as).not.toBeNull()
      await first.order('release', { as })
    }
    await within('both closed', 5000, Promise.all(workers.map((worker) => worker.order('close'))))
    await sweep(stage)
    expect(await rowsLeft(stage.file)).toEqual({})
    expect(await soundness(stage.file)).toBe('ok')
  }),
  LIMIT_MS,
)

test(
  'a process that is killed while it makes the file leaves one that the next can use, at whatever point it was',
  onStage(async (stage) => {
    for (let round = 0; round < BIRTHS; round++) {
      const file = join(stage.folder, `born-${round}.db`)
      const [dies, next] = await Promise.all([stage.start(), stage.start()])
      dies.order('open', { file, options, ready: true })
      await until('the file', () => existsSync(file))
      await pause(Math.random() * BIRTH_MS)
      dies.kill()
      await dies.ended
      await next.order('open', { file, options })
      const thing = { kind: 'mutex', name: 'first' }
      expect((await next.order('take', { as: 'it', thing, options: { wait: '5s' } })).value).not.toBeNull()
      expect(await soundness(file)).toBe('ok')
      await next.end()
    }
  }),
)

/** A process that comes later: its beats take away what is left of the dead, a bounded number at a time. */
async function sweep(stage: Stage): Promise<void> {
  const late = await stage.party({ options })
  await late.order('take', { as: 'it', thing: { kind: 'mutex', name: 'later' } })
  await untilRows(stage.file, { hf_session: 1, hf_claim: 1 }, SWEEP_BEATS * beatMs)
  await late.order('close')
}
