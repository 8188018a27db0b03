/** The locks that people make by hand in Redis, and what they make of the commands of Redis without a lock. */
import { checkThenDelete } from './check-then-delete.ts'
import { deleteByScript, deleteByWatch } from './owner-checked-delete.ts'
import { plainDelete } from './plain-delete.ts'
import type { Strategy } from './strategy.ts'

export const HAND_MADE: readonly Strategy[] = [plainDelete, checkThenDelete, deleteByScript, deleteByWatch]
