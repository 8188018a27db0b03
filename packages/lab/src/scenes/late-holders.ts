/** A holder comes back when its lock has long been somebody else's. */
import type { Moment } from '../shop/moment.ts'
import type { Outcome, Scene } from './scene.ts'
import type { Stage } from './stage.ts'

export const outlivesTtl: Scene = {
  name: 'outlives-ttl',
  title: 'The work takes longer than the lock lasts',
  until: 'the work outlives the lock',
  cases: [
    { strategy: 'plain-delete', expect: 'breaks' },
    { strategy: 'check-then-delete', expect: 'breaks' },
    { strategy: 'delete-by-script', expect: 'breaks' },
    { strategy: 'delete-by-watch', expect: 'breaks' },
    { strategy: 'lease-table', expect: 'breaks' },
    { strategy: 'renewed', expect: 'holds' },
    { strategy: 'renewed-with-cap', expect: 'holds' },
    { strategy: 'holdfast-mutex', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    await a.to('read the stock')
    await stage.outliveTtl()
    // Waits as long as the lock is kept alive.
    await b.end(400)
    await a.end()
    await b.end()
    const lost = await stage.miscount()
    return {
      broken: lost > 0,
      says:
        lost > 0
          ? 'A wrote what it had read before B sold: one sale is lost from the stock.'
          : 'B waited until A was done.',
    }
  },
}

export const lateDelete: Scene = {
  name: 'late-delete',
  title: 'A holder that is late gives back the lock of the next',
  until: 'a late holder deletes the lock of the next',
  cases: [
    { strategy: 'plain-delete', expect: 'breaks' },
    { strategy: 'setnx-then-expire-healed', expect: 'breaks' },
    { strategy: 'check-then-delete', expect: 'holds' },
    { strategy: 'delete-by-script', expect: 'holds' },
  ],
  play: (stage) => givesBackLate(stage, 'paid'),
}

export const checkThenDelete: Scene = {
  name: 'check-then-delete',
  title: 'The lock changes hands between the look and the delete',
  until: 'a lock ends between the look and the delete',
  cases: [
    { strategy: 'check-then-delete', expect: 'breaks' },
    { strategy: 'delete-by-script', expect: 'holds' },
    { strategy: 'delete-by-watch', expect: 'holds' },
  ],
  play: (stage) => givesBackLate(stage, 'is about to delete it'),
}

/** A stands at the moment until its lock is that of B, and goes on. Can C come in beside B? */
async function givesBackLate(stage: Stage, moment: Moment): Promise<Outcome> {
  const [a, b, c] = await stage.three()
  await a.to(moment)
  await stage.outliveTtl()
  await b.to('holds the lock')
  await a.end()
  await c.towards('holds the lock', 300)
  const broken = stage.mostAtOnce('B', 'C') > 1
  return {
    broken,
    says: broken ? 'A deleted the lock of B, and C took it while B held it.' : 'A left the lock of B alone.',
  }
}
