/** Locks inside one process, and the primitives of Holdfast beside the ways in which people make them by hand. */
import { fencedPrimary, onePrimary, quorumOfThree } from './failing-over.ts'
import { fair } from './fairness.ts'
import { fenced, unfenced } from './fencing.ts'
import { byNumbers, byScript, byTimes, underAShortLock } from './hand-made-semaphore.ts'
import { oneLevel, twoLevels } from './levels.ts'
import { mutexPerRequest, ownMutex, releasedBeforeCommit } from './own-mutex.ts'
import { reentrant, waitsForItself } from './reentrant.ts'
import { oneSegment, tenSegments } from './segments.ts'
import { openingLatch, permits, readersAndWriters } from './sharing.ts'
import type { Strategy } from './strategy.ts'
import { allAtOnce, oneAfterTheOther } from './two-items.ts'

export const PRIMITIVES: readonly Strategy[] = [
  ownMutex,
  mutexPerRequest,
  releasedBeforeCommit,
  waitsForItself,
  reentrant,
  fair,
  oneAfterTheOther,
  allAtOnce,
  onePrimary,
  fencedPrimary,
  quorumOfThree,
  readersAndWriters,
  byTimes,
  byNumbers,
  underAShortLock,
  byScript,
  permits,
  openingLatch,
  oneLevel,
  twoLevels,
  oneSegment,
  tenSegments,
  unfenced,
  fenced,
]
