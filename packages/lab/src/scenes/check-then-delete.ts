/** The lock ends between the look and the delete, and is somebody else's when the delete comes. */
import type { Scene } from './scene.ts'

export const checkThenDeleteScene: Scene = {
  name: 'check-then-delete',
  title: 'The lock changes hands between the look and the delete',
  until: 'a lock ends between the look and the delete',
  cases: [
    { strategy: 'check-then-delete', expect: 'breaks' },
    { strategy: 'delete-by-script', expect: 'holds' },
    { strategy: 'delete-by-watch', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b, c] = await stage.three()
    // A has sold and is about to give back what it holds.
    await a.to('saw its own name in the lock')
    await stage.outliveTtl()
    await b.to('holds the lock')
    await a.end()
    await c.towards('holds the lock', 300)
    const broken = stage.mostAtOnce('B', 'C') > 1
    return {
      broken,
      says: broken ? 'A deleted the lock of B, and C took it while B held it.' : 'A deleted nothing: the lock was B’s.',
    }
  },
}
