/** A file that does not exist yet, wanted by several processes at once: one of them makes it, and all of them use it. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nowMs } from './stage/moment.ts'
import { onStage } from './stage/stage.ts'
import { soundness } from './stage/store-file.ts'

const PROCESSES = 4
const FILES = 25
/** Long enough for an order to reach everybody. */
const AHEAD_MS = 15
/** About as long as it takes to make the tables: the others come at any point of it. */
const BIRTH_MS = 6

test(
  'processes that open a new file at almost the same moment all get in, each time',
  onStage(async (stage) => {
    const parties = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start()))
    for (let number = 0; number < FILES; number++) {
      const file = join(stage.folder, `new-${number}.db`)
      const plan = { object: `object ${number}`, file, options: { heartbeat: 'main' }, ready: true }
      const atMs = nowMs() + AHEAD_MS
      const within = (): number => atMs + Math.random() * BIRTH_MS
      await Promise.all(parties.map((party) => party.order('open', { ...plan, atMs: within() })))
      const take = {
        object: plan.object,
        as: `lease ${number}`,
        thing: { kind: 'semaphore', name: 'x', capacity: PROCESSES },
      }
      const granted = await Promise.all(parties.map((party) => party.order('take', take)))
      expect(new Set(granted.map(({ value }) => (value as unknown as { id: string }).id)).size).toBe(PROCESSES)
      expect(await soundness(file)).toBe('ok')
      await Promise.all(parties.map((party) => party.order('close', { object: plan.object })))
    }
  }),
)
