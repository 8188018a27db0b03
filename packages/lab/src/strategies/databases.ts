/** What a database can do by itself, and the locks that are made with it. */
import { noLock } from './no-lock.ts'
import type { Strategy } from './strategy.ts'

export const DATABASES: readonly Strategy[] = [noLock]
