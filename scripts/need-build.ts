/**
 * Runs before the tests that start programs from dist: without a build they would test nothing, with an old one the
 * wrong thing, so both fail here and say what to do.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = { holdfast: 'dist/index.mjs', lab: 'dist/lab.mjs' } as const

function times(folder: string): number[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs)
}

export function setup(): void {
  for (const [name, program] of Object.entries(PACKAGES)) {
    const folder = fileURLToPath(new URL(`../packages/${name}/`, import.meta.url))
    const built = statSync(join(folder, program), { throwIfNoEntry: false })
    if (built === undefined) throw new Error(`packages/${name}/dist is missing: run \`npm run build\` first`)
    if (Math.max(...times(join(folder, 'src'))) > built.mtimeMs) {
      throw new Error(`packages/${name}/dist is older than its sources: run \`npm run build\` first`)
    }
  }
}
