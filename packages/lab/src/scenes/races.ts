/** The race itself: two that read the same number, in two processes, in one, and around a commit. */
import type { Outcome, Scene } from './scene.ts'
import type { Customer, Stage } from './stage.ts'

/** How long one that should wait is given to come on. */
const WAITS_MS = 400

export const theRace: Scene = {
  name: 'the-race',
  title: 'Two processes read the same number',
  until: 'two processes sell at once',
  cases: [
    { strategy: 'no-lock', expect: 'breaks' },
    { strategy: 'own-mutex', expect: 'breaks' },
    { strategy: 'mutex-per-request', expect: 'breaks' },
    { strategy: 'watched-elsewhere', expect: 'breaks' },
    { strategy: 'wrong-unit', expect: 'breaks' },
    { strategy: 'one-statement', expect: 'holds' },
    { strategy: 'one-statement-mariadb', expect: 'holds' },
    { strategy: 'watched-decrement', expect: 'holds' },
    { strategy: 'unit-in-the-value', expect: 'holds' },
    { strategy: 'plain-delete', expect: 'holds' },
    { strategy: 'reentrant', expect: 'holds' },
    { strategy: 'quorum-of-three', expect: 'holds' },
    { strategy: 'two-levels', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    return race(stage, a, b)
  },
}

export const inOneProcess: Scene = {
  name: 'in-one-process',
  title: 'Two tasks of one process read the same number',
  until: 'two tasks sell at once',
  cases: [
    { strategy: 'no-lock', expect: 'breaks' },
    { strategy: 'mutex-per-request', expect: 'breaks' },
    { strategy: 'advisory-over-pool', expect: 'breaks' },
    { strategy: 'advisory-lock', expect: 'holds' },
    { strategy: 'own-mutex', expect: 'holds' },
    { strategy: 'two-levels', expect: 'holds' },
  ],
  async play(stage) {
    const shop = await stage.process()
    const [a, b] = await Promise.all([stage.customer('A', shop), stage.customer('B', shop)])
    return race(stage, a, b)
  },
}

export const commitAfterRelease: Scene = {
  name: 'commit-after-release',
  title: 'The lock is given back, and the transaction is still open',
  until: 'a lock is given back before the commit',
  cases: [
    { strategy: 'released-before-commit', expect: 'breaks' },
    { strategy: 'own-mutex', expect: 'holds' },
  ],
  async play(stage) {
    const shop = await stage.process()
    const [a, b] = await Promise.all([stage.customer('A', shop), stage.customer('B', shop)])
    await a.to('let go')
    await b.end()
    await a.end()
    return verdict(stage, 'B read the stock before A had committed: one sale is lost.')
  },
}

async function race(stage: Stage, a: Customer, b: Customer): Promise<Outcome> {
  await a.towards('read the stock', WAITS_MS)
  await b.end(WAITS_MS)
  await a.end()
  await b.end()
  return verdict(stage, 'A wrote what it had read before B sold: one sale is lost from the stock.')
}

async function verdict(stage: Stage, broken: string): Promise<Outcome> {
  const lost = await stage.miscount()
  return { broken: lost > 0, says: lost > 0 ? broken : 'Two sold, and the stock knows of both.' }
}
