/** Everything that is true on every backend, in the order of the design. */
import { barrierChapters } from './barrier.ts'
import { budgetChapters } from './budget.ts'
import { cellChapter } from './cell.ts'
import { closingChapter } from './closing.ts'
import { detachedChapter } from './detached.ts'
import { downgradeChapter } from './downgrade.ts'
import { electionChapters } from './election.ts'
import { eventChapters } from './events.ts'
import type { Chapter } from './fact.ts'
import { featureChapter } from './features.ts'
import { fenceChapters } from './fences.ts'
import { givingUp } from './giving-up.ts'
import { guardChapter } from './guarded.ts'
import { fairKind, lastPermitKind, mutexKind, writerKind } from './kind.ts'
import { latchChapter } from './latch.ts'
import { lease } from './lease.ts'
import { maxHold } from './max-hold.ts'
import { nestingChapters } from './nested.ts'
import { operatorChapters } from './operators.ts'
import { outage } from './outage.ts'
import { quietChapters } from './quiet.ts'
import { reentryChapters } from './reentrant.ts'
import { readWriteChapters } from './rwlock.ts'
import { semaphoreChapters } from './semaphore.ts'
import { shownChapter } from './shown.ts'
import { stuckChapter } from './stuck.ts'
import { taking } from './taking.ts'
import { togetherChapters } from './together.ts'

const kinds = [mutexKind, fairKind, writerKind, lastPermitKind]

export const chapters: readonly Chapter[] = [
  ...kinds.flatMap((kind) => [taking(kind), givingUp(kind), lease(kind), maxHold(kind)]),
  ...[mutexKind, writerKind, lastPermitKind].map(outage),
  ...budgetChapters,
  ...fenceChapters,
  ...reentryChapters,
  ...nestingChapters,
  ...readWriteChapters,
  downgradeChapter,
  ...semaphoreChapters,
  ...togetherChapters,
  latchChapter,
  ...barrierChapters,
  ...electionChapters,
  cellChapter,
  detachedChapter,
  ...operatorChapters,
  shownChapter,
  guardChapter,
  featureChapter,
  closingChapter,
  ...eventChapters,
  stuckChapter,
  ...quietChapters,
]
