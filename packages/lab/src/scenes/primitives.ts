/** Scenes of clocks, stops and failovers, and of the primitives that withstand them. */
import type { Scene } from './scene.ts'

export const PRIMITIVE_SCENES: readonly Scene[] = []
