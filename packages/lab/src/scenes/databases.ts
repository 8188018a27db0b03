/** Scenes of databases: rows, connections and pools. */
import type { Scene } from './scene.ts'

export const DATABASE_SCENES: readonly Scene[] = []
