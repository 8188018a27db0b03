/** Scenes of the locks that people make by hand in Redis. */
import { checkThenDeleteScene } from './check-then-delete.ts'
import type { Scene } from './scene.ts'

export const HAND_MADE_SCENES: readonly Scene[] = [checkThenDeleteScene]
