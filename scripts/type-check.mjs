/**
 * Type-checks everything without writing anything: the library with its tests, the lab, the scripts and the settings.
 * All programs are checked even after one has failed.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))

let failed = 0
for (const project of ['packages/holdfast', 'packages/lab', '.']) {
  const { status } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', project], { cwd: root, stdio: 'inherit' })
  if (status !== 0) failed += 1
}
process.exitCode = failed === 0 ? 0 : 1
