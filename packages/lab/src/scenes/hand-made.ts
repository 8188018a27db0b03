/** Scenes of the locks that people make by hand in Redis. */
import { clockAhead, overwrittenDeadline, twoTakers } from './deadlines.ts'
import { diesBetween, holderDies, workHangs } from './deaths.ts'
import { checkThenDelete, lateDelete, outlivesTtl } from './late-holders.ts'
import { lostMessage } from './lost-message.ts'
import type { Scene } from './scene.ts'

export const HAND_MADE_SCENES: readonly Scene[] = [
  holderDies,
  diesBetween,
  twoTakers,
  overwrittenDeadline,
  clockAhead,
  lateDelete,
  checkThenDelete,
  outlivesTtl,
  workHangs,
  lostMessage,
]
