/** Scenes of the locks that people make by hand in Redis. */
import { checkThenDeleteScene } from './check-then-delete.ts'
import { clockAhead, overwrittenDeadline, twoTakers } from './deadlines.ts'
import { diesBetween, holderDies, workHangs } from './deaths.ts'
import { lateDelete, outlivesTtl } from './late-holders.ts'
import { lostMessage } from './lost-message.ts'
import type { Scene } from './scene.ts'

export const HAND_MADE_SCENES: readonly Scene[] = [
  holderDies,
  diesBetween,
  twoTakers,
  overwrittenDeadline,
  clockAhead,
  lateDelete,
  checkThenDeleteScene,
  outlivesTtl,
  workHangs,
  lostMessage,
]
