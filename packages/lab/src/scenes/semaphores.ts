/** Semaphores of hand-made sorted sets: who gets a permit that is given out already? */
import type { Outcome, Scene } from './scene.ts'
import type { Customer, Stage } from './stage.ts'

const BEHIND_MS = -15_000
const TRIES_MS = 400
const RIGHT_ONES = ['semaphore-under-a-lock', 'semaphore-by-script', 'permits'] as const
const hold = RIGHT_ONES.map((strategy) => ({ strategy, expect: 'holds' }) as const)

export const clockBehind: Scene = {
  name: 'clock-behind',
  title: 'The clock of one process is 15 s behind',
  until: 'clocks differ',
  cases: [
    { strategy: 'semaphore-by-times', expect: 'breaks' },
    { strategy: 'semaphore-by-numbers', expect: 'holds' },
    ...hold,
  ],
  async play(stage) {
    const [a, b, behind] = await Promise.all([
      stage.customer('A'),
      stage.customer('B'),
      stage.process({ clockOffsetMs: BEHIND_MS }),
    ])
    const c = await stage.customer('C', behind)
    await a.to('holds the lock')
    await b.to('holds the lock')
    return overIssued(stage, c, 'C stands in front of A and B by its own clock')
  },
}

export const lowerNumber: Scene = {
  name: 'lower-number',
  title: 'One draws its number, and enters the line when it is full',
  until: 'one is slow between its number and the line',
  cases: [{ strategy: 'semaphore-by-numbers', expect: 'breaks' }, ...hold],
  async play(stage) {
    const [a, b, c] = await stage.three()
    // Where there are no numbers to draw, C has bought and is gone.
    await c.towards('has its number', TRIES_MS)
    await a.towards('holds the lock', TRIES_MS)
    await b.towards('holds the lock', TRIES_MS)
    return overIssued(stage, c, 'C came with a number below those of A and B')
  },
}

async function overIssued(stage: Stage, late: Customer, why: string): Promise<Outcome> {
  await late.towards('holds the lock', TRIES_MS)
  const most = stage.mostAtOnce()
  return {
    broken: most > 2,
    says: most > 2 ? `${why}, and ${most} pay at once where 2 may.` : 'No more than 2 pay at once.',
  }
}
