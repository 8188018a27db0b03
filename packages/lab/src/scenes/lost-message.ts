/** The message that the lock is free is sent while the connection that should hear it is cut. */
import type { Scene } from './scene.ts'

export const lostMessage: Scene = {
  name: 'lost-message',
  title: 'The word that the lock is free is lost',
  until: 'a message is lost',
  cases: [
    { strategy: 'told-only', expect: 'breaks' },
    { strategy: 'told-or-looking', expect: 'holds' },
    { strategy: 'holdfast-mutex', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    await a.to('holds the lock')
    await b.towards('listens', 500)
    await stage.redis('CLIENT', 'KILL', 'TYPE', 'pubsub')
    stage.says('the connections that listen are cut')
    await a.end()
    const end = await b.end(2_500)
    const broken = end === 'nothing'
    return {
      broken,
      says: broken ? 'The lock is free, and B waits for a word that was said already.' : 'B looked for itself.',
    }
  },
}
