/** A task that takes the lock it has, and two that take two locks in opposite order. */
import type { Scene } from './scene.ts'
import { isSold } from './stage.ts'

export const takenTwice: Scene = {
  name: 'taken-twice',
  title: 'A section takes the lock that its caller has',
  until: 'a section calls another one that locks',
  cases: [
    { strategy: 'waits-for-itself', expect: 'breaks' },
    { strategy: 'reentrant', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    await a.towards('is inside twice', 1_000)
    await b.towards('holds the lock', 300)
    const excluded = stage.mostAtOnce() <= 1
    const broken = !isSold(await a.end())
    await b.end()
    if (!broken && !excluded) return { broken: true, says: 'B came in while A was inside twice.' }
    return {
      broken,
      says: broken ? 'A waited for itself until it gave up.' : 'A was inside twice, and B waited for both.',
    }
  },
}

export const oppositeOrder: Scene = {
  name: 'opposite-order',
  title: 'Two customers take the same two locks in opposite order',
  until: 'two take two locks in opposite order',
  cases: [
    { strategy: 'one-after-the-other', expect: 'breaks' },
    { strategy: 'all-at-once', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    await Promise.all([a.towards('has the first of two', 500), b.towards('has the first of two', 500)])
    const ends = await Promise.all([a.end(), b.end()])
    const broken = !ends.every(isSold)
    return {
      broken,
      says: broken ? 'Each had one and waited for the other’s, until patience ended.' : 'Both have bought their pair.',
    }
  },
}
