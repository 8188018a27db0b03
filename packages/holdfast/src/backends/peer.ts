/** Loads a package that the application may have installed, when it is first needed and not before. */
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * From where this package is installed, or from the application's folder when it was bundled; by `require`, so that
 * bundlers and test runners leave it alone. Null: it is not there, and `failures` says why.
 */
export function loadPeer(name: string, failures: unknown[]): unknown {
  for (const base of [import.meta.url, join(process.cwd(), 'package.json')]) {
    if (typeof base !== 'string') continue
    try {
      return createRequire(base)(name)
    } catch (error) {
      failures.push(error)
    }
  }
  return null
}
