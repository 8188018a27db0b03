/** Imported first by the examples: gives each run a folder of its own, so that `./locks.db` is new and goes away. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const started = process.cwd()
const folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'))
process.chdir(folder)
process.once('exit', () => {
  process.chdir(started)
  rmSync(folder, { recursive: true })
})
