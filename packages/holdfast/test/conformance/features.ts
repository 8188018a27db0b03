/** A backend has what it does not say it lacks, and refuses what it lacks with `UnsupportedError`, not by half. */
import assert from 'node:assert/strict'
import { isHoldfastError } from '../../src/index.ts'
import type { Chapter, Feature, World } from './fact.ts'

const uses: Readonly<Record<Feature, (world: World) => Promise<unknown>>> = {
  order: (world) => world.make().mutex('fair', { fair: true }).acquire(),
  permits: (world) => world.make().semaphore('thing', { capacity: 2 }).acquire({ permits: 2 }),
  cells: (world) => world.make().cell('thing').set('x'),
  claims: (world) => world.make().inspect('thing'),
  detached: (world) => world.make().mutex('detached').acquire({ detached: true, maxHold: '1s' }),
}

async function isThere(world: World, feature: Feature): Promise<boolean> {
  try {
    await uses[feature](world)
    return true
  } catch (error) {
    if (isHoldfastError(error, 'UNSUPPORTED')) return false
    throw error
  }
}

export const featureChapter: Chapter = {
  title: 'features',
  facts: {
    async 'what it lacks is refused as unsupported, and nothing else is'(world) {
      const features = Object.keys(uses) as Feature[]
      for (const feature of features) {
        assert.equal(await isThere(world, feature), !world.subject.lacks.includes(feature), feature)
      }
    },
  },
}
