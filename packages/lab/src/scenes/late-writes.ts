/** A holder is stopped between its payment and its write, longer than its lock lasts, and then writes. */
import type { Scene } from './scene.ts'

export const lateWrite: Scene = {
  name: 'late-write',
  title: 'A holder stands still, and writes when another has sold',
  until: 'a holder stands still longer than its lock lasts',
  cases: [
    { strategy: 'unfenced', expect: 'breaks' },
    { strategy: 'fenced', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    await a.to('paid')
    a.stop()
    await b.end()
    a.resume()
    const end = await a.end()
    const refused = typeof end === 'object' && 'error' in end
    const lost = await stage.miscount()
    return {
      broken: lost > 0,
      says: lost > 0 ? 'A wrote over what B had sold.' : refused ? 'The write of A was refused.' : 'A wrote nothing.',
    }
  },
}
