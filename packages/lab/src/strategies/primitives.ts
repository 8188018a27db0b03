/** Locks inside one process, and the primitives of Holdfast beside the ways in which people make them by hand. */
import type { Strategy } from './strategy.ts'

export const PRIMITIVES: readonly Strategy[] = []
