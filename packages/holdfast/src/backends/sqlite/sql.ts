/**
 * All statements of one connection, prepared once.
 */
import { CellSql } from './cell.ts'
import type { SqliteDatabase } from './database.ts'
import { LineSql } from './line.ts'
import { SessionSql } from './session.ts'
import { SpaceSql } from './space.ts'
import { ViewSql } from './view.ts'

export interface Sql {
  readonly space: SpaceSql
  readonly session: SessionSql
  readonly line: LineSql
  readonly view: ViewSql
  readonly cell: CellSql
}

export function prepareSql(database: SqliteDatabase): Sql {
  return {
    space: new SpaceSql(database),
    session: new SessionSql(database),
    line: new LineSql(database),
    view: new ViewSql(database),
    cell: new CellSql(database),
  }
}
