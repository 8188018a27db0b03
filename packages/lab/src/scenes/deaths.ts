/** A holder dies, or its work hangs: is the next one served? */

import type { Outcome, Scene } from './scene.ts'
import { type Customer, isSold, type Stage } from './stage.ts'

/** Longer than any lock of a scene lasts that ends by itself. */
const SERVED_MS_MAX = 3_500

export const holderDies: Scene = {
  name: 'holder-dies',
  title: 'The holder dies with the lock in its hand',
  until: 'a holder dies',
  cases: [
    { strategy: 'setnx', expect: 'breaks' },
    { strategy: 'setnx-then-expire', expect: 'holds' },
    { strategy: 'plain-delete', expect: 'holds' },
    { strategy: 'renewed', expect: 'holds' },
    { strategy: 'holdfast-mutex', expect: 'holds' },
    { strategy: 'lease-table', expect: 'holds' },
    { strategy: 'named-lock', expect: 'holds' },
    { strategy: 'advisory-lock', expect: 'holds' },
    { strategy: 'row-lock', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    await a.to('holds the lock')
    a.kill()
    return served(stage, b, 'A is dead')
  },
}

export const diesBetween: Scene = {
  name: 'dies-between',
  title: 'The holder dies between taking the lock and giving it an end',
  until: 'a holder dies between two commands',
  cases: [
    { strategy: 'setnx-then-expire', expect: 'breaks' },
    { strategy: 'setnx-then-expire-healed', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    await a.to('took it without an end')
    a.kill()
    return served(stage, b, 'A is dead')
  },
}

export const workHangs: Scene = {
  name: 'work-hangs',
  title: 'The work never ends, and its process is alive and well',
  until: 'work hangs',
  cases: [
    { strategy: 'renewed', expect: 'breaks' },
    { strategy: 'renewed-with-cap', expect: 'holds' },
    { strategy: 'holdfast-mutex', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    await a.to('read the stock')
    return served(stage, b, 'A hangs')
  },
}

async function served(stage: Stage, next: Customer, why: string): Promise<Outcome> {
  const broken = !isSold(await next.end(SERVED_MS_MAX))
  stage.says(broken ? 'the lock is still there' : 'the lock was free again')
  return {
    broken,
    says: broken
      ? `${why}, and ${next.name} waits for ever.`
      : `${why}, and ${next.name} is served when the lock has ended.`,
  }
}
