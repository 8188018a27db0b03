/**
 * Counts what is asked of a database object that is handed to the library: every execution of a statement, and for each
 * transaction how many statements ran between its BEGIN and its COMMIT. `pragma busy_timeout` is counted apart: it sets
 * the connection and does not touch the database, and the library needs it on objects of others only.
 */
import type { Database } from '../sale/driver.ts'

export interface Counts {
  /** Executions of any kind, BEGIN, COMMIT and pragmas included. */
  readonly statements: number
  /** Statements inside each transaction, BEGIN and COMMIT not included. */
  readonly transactions: readonly number[]
  /** Statements outside any transaction. */
  readonly single: number
  /** `pragma busy_timeout`, inside or outside. */
  readonly timeouts: number
}

export interface Counter {
  readonly database: Database
  /** What was counted since the last call. */
  take(): Counts
}

const EXECUTES: ReadonlySet<PropertyKey> = new Set(['run', 'get', 'all', 'iterate'])

export function countStatements(real: Database): Counter {
  let statements = 0
  let single = 0
  let timeouts = 0
  let transactions: number[] = []
  let inside: number | null = null
  const count = (sql: string): void => {
    statements += 1
    const word = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase()
    if (/^\s*pragma\s+busy_timeout\b/i.test(sql)) timeouts += 1
    else if (word === 'begin') inside = 0
    else if (word === 'commit' || word === 'rollback' || word === 'end') {
      transactions.push(inside ?? 0)
      inside = null
    } else if (inside === null) single += 1
    else inside += 1
  }
  return {
    database: watched(
      real,
      (name, [sql]) => {
        if (name === 'exec') for (const one of split(String(sql))) count(one)
        if (name === 'pragma') count(`pragma ${String(sql)}`)
      },
      (sql) => () => count(sql),
    ),
    take() {
      const counts = { statements, single, timeouts, transactions }
      statements = 0
      single = 0
      timeouts = 0
      transactions = []
      return counts
    },
  }
}

/** The same object, with a word before each call; what it prepares is watched too. */
function watched(
  real: Database,
  onCall: (name: PropertyKey, values: readonly unknown[]) => void,
  onPrepare: (sql: string) => () => void,
): Database {
  return new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...values: readonly unknown[]) => {
        onCall(name, values)
        const result: unknown = value.apply(target, values)
        return name === 'prepare' ? watchedStatement(result as object, onPrepare(String(values[0]))) : result
      }
    },
  })
}

function watchedStatement(real: object, onExecute: () => void): object {
  const proxy: object = new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...values: readonly unknown[]) => {
        if (EXECUTES.has(name)) onExecute()
        const result: unknown = value.apply(target, values)
        // Methods that set a mode give the statement back; without this it would escape its counter.
        return result === target ? proxy : result
      }
    },
  })
  return proxy
}

function split(sql: string): readonly string[] {
  return sql.split(';').filter((one) => one.trim() !== '')
}
