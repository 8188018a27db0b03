/** Scenes of races, clocks, stops and failovers, and of the primitives that withstand them. */
import { nodeDies, primaryDies } from './failovers.ts'
import { lateWrite } from './late-writes.ts'
import { oppositeOrder, takenTwice } from './nesting.ts'
import { commitAfterRelease, inOneProcess, theRace } from './races.ts'
import type { Scene } from './scene.ts'
import { clockBehind, lowerNumber } from './semaphores.ts'
import { inOrder, notOpenYet, permitReturns, readersShare } from './sharing.ts'

export const PRIMITIVE_SCENES: readonly Scene[] = [
  theRace,
  inOneProcess,
  commitAfterRelease,
  takenTwice,
  inOrder,
  oppositeOrder,
  primaryDies,
  nodeDies,
  readersShare,
  clockBehind,
  lowerNumber,
  permitReturns,
  notOpenYet,
  lateWrite,
]
