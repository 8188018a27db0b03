/** What a database can do by itself, and the locks that are made with it. */
import {
  advisoryLock,
  advisoryOverPool,
  leaseTable,
  namedLock,
  namedLockApart,
  poolOfWaiters,
} from './database-locks.ts'
import { noLock } from './no-lock.ts'
import { oneStatement, oneStatementMariadb } from './one-statement.ts'
import { rowLockMariadb, rowLockPostgres, rowsAsTheyCome, rowsInOrder } from './row-locks.ts'
import type { Strategy } from './strategy.ts'
import { versionColumn, versionRushing } from './version-column.ts'

export const DATABASES: readonly Strategy[] = [
  noLock,
  oneStatement,
  oneStatementMariadb,
  rowLockMariadb,
  rowLockPostgres,
  rowsAsTheyCome,
  rowsInOrder,
  versionColumn,
  versionRushing,
  leaseTable,
  namedLock,
  namedLockApart,
  poolOfWaiters,
  advisoryLock,
  advisoryOverPool,
]
