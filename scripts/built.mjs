/**
 * Whether what is built is as new as its sources. As a program it builds where it is not: a build empties the folders from
 * which others may be running.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = { holdfast: 'dist/index.mjs', lab: 'dist/lab.mjs' }

/** @returns {string | null} what is wrong with the build */
export function staleness() {
  for (const [name, program] of Object.entries(PACKAGES)) {
    const folder = fileURLToPath(new URL(`../packages/${name}/`, import.meta.url))
    const built = statSync(join(folder, program), { throwIfNoEntry: false })
    if (built === undefined) return `packages/${name}/dist is missing`
    if (newest(join(folder, 'src')) > built.mtimeMs) return `packages/${name}/dist is older than its sources`
  }
  return null
}

/** @param {string} folder */
function newest(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Math.max(...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs))
}

if (process.argv[1] === fileURLToPath(import.meta.url) && staleness() !== null) {
  process.exitCode = spawnSync('npm', ['run', 'build'], { stdio: 'inherit' }).status ?? 1
}
