/** The locks that people make by hand in Redis, how they wait for them, and Holdfast beside them. */
import { checkThenDelete } from './check-then-delete.ts'
import { deadlineDeleted, deadlineSwapped, deadlineWatched } from './deadline-in-value.ts'
import { endAfterwards, endHealed, withoutEnd } from './lock-without-end.ts'
import { deleteByScript, deleteByWatch } from './owner-checked-delete.ts'
import { plainDelete } from './plain-delete.ts'
import { holdfastMutex, renewed, renewedWithCap } from './renewed.ts'
import type { Strategy } from './strategy.ts'
import { backingOff, recursing, spinning, toldOnly, toldOrLooking } from './waiting.ts'
import { watchedDecrement, watchedElsewhere } from './watched-decrement.ts'
import { unitInTheValue, wrongUnit } from './wrong-unit.ts'

export const HAND_MADE: readonly Strategy[] = [
  watchedDecrement,
  watchedElsewhere,
  withoutEnd,
  endAfterwards,
  endHealed,
  deadlineDeleted,
  deadlineSwapped,
  deadlineWatched,
  plainDelete,
  checkThenDelete,
  deleteByScript,
  deleteByWatch,
  renewed,
  renewedWithCap,
  holdfastMutex,
  wrongUnit,
  unitInTheValue,
  spinning,
  recursing,
  backingOff,
  toldOnly,
  toldOrLooking,
]
