/** Locks whose end is a time that a client wrote: races for an old one, and clocks that differ. */
import type { Scene } from './scene.ts'
import type { Customer, Stage } from './stage.ts'

const AHEAD_MS = 15_000
/** How long one tries that should get nothing. */
const TRIES_MS = 300

export const twoTakers: Scene = {
  name: 'two-takers',
  title: 'Two see the same old deadline',
  until: 'two find an old lock at once',
  cases: [
    { strategy: 'deadline-deleted', expect: 'breaks' },
    { strategy: 'deadline-swapped', expect: 'holds' },
    { strategy: 'deadline-watched', expect: 'holds' },
  ],
  async play(stage) {
    const { a, b } = await afterADeath(stage)
    await a.to('holds the lock')
    await b.towards('holds the lock', TRIES_MS)
    const broken = stage.mostAtOnce('A', 'B') > 1
    return { broken, says: broken ? 'B deleted the new lock of A and took its own.' : 'B came second and got nothing.' }
  },
}

export const overwrittenDeadline: Scene = {
  name: 'overwritten-deadline',
  title: 'The one that came second writes its deadline over that of the holder',
  until: 'two find an old lock at once',
  cases: [
    { strategy: 'deadline-swapped', expect: 'breaks' },
    { strategy: 'deadline-watched', expect: 'holds' },
  ],
  async play(stage) {
    const { a, b } = await afterADeath(stage)
    await a.to('holds the lock')
    await b.towards('wrote its deadline', TRIES_MS)
    b.kill()
    await a.end()
    const { peaks } = await stage.tally()
    const broken = peaks['locks not given back'] === 1
    return {
      broken,
      says: broken
        ? 'A found the deadline of B in its own lock and could not give it back.'
        : 'A found its own deadline, and gave its lock back.',
    }
  },
}

export const clockAhead: Scene = {
  name: 'clock-ahead',
  title: 'The clock of one process is 15 s ahead',
  until: 'clocks differ by more than the lock lasts',
  cases: [
    { strategy: 'deadline-watched', expect: 'breaks' },
    { strategy: 'plain-delete', expect: 'holds' },
    { strategy: 'holdfast-mutex', expect: 'holds' },
  ],
  async play(stage) {
    const [a, ahead] = await Promise.all([stage.customer('A'), stage.process({ clockOffsetMs: AHEAD_MS })])
    const b = await stage.customer('B', ahead)
    await a.to('holds the lock')
    await b.towards('holds the lock', TRIES_MS)
    const broken = stage.mostAtOnce('A', 'B') > 1
    return { broken, says: broken ? 'To B the lock of A was long over.' : 'The server’s clock counts, and B waited.' }
  },
}

/** Somebody died with the lock, and A and B have both seen that its time is over. */
async function afterADeath(stage: Stage): Promise<{ readonly a: Customer; readonly b: Customer }> {
  const [dead, a, b] = await Promise.all([stage.customer('Z'), stage.customer('A'), stage.customer('B')])
  await dead.to('holds the lock')
  dead.kill()
  await stage.outliveTtl()
  await a.to('saw an old deadline')
  // Two deadlines of one millisecond would be the same.
  await stage.pass(5)
  await b.to('saw an old deadline')
  return { a, b }
}
