/** Runs one fact in a world of its own: a fresh namespace, and everything it made closed afterwards. */
import { holdfast } from '../../src/index.ts'
import { Cable } from './cable.ts'
import type { Fact, Subject, World } from './fact.ts'
import { machine } from './waiting.ts'

let worlds = 0

export async function inWorld(subject: Subject, fact: Fact): Promise<void> {
  const namespace = `fact-${process.pid}-${worlds++}`
  const endings: (() => unknown)[] = []
  const usual = { namespace, ttl: `${Math.min(60, 15 * machine.slowness)}s` } as const
  const world: World = {
    subject,
    namespace,
    make(options) {
      const locks = holdfast(subject.connect(), { ...usual, ...options })
      endings.push(() => locks.close())
      return locks
    },
    async ready(options) {
      const locks = world.make(options)
      await locks.ready()
      return locks
    },
    cabled(options) {
      const cable = new Cable()
      const locks = holdfast(cable.wrap(subject.connect()), { ...usual, ...options })
      endings.push(
        () => locks.close(),
        () => cable.heal(),
      )
      return { locks, cable }
    },
    async hold(lease) {
      const kept = await lease
      endings.push(() => kept)
      return kept
    },
    after(work) {
      endings.push(work)
    },
  }
  try {
    await fact(world)
  } finally {
    for (const ending of endings.reverse()) await ending()
  }
}
