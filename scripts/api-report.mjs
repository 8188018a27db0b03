/**
 * Writes the public surface to packages/holdfast/api: for each entry one file with all its declarations in place, made
 * from the built declarations. The files are committed, so a change of the surface is a diff that somebody decides on.
 * With --check nothing is written; a difference is shown and fails.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'

const library = fileURLToPath(new URL('../packages/holdfast/', import.meta.url))
const reports = join(library, 'api')
const check = process.argv.includes('--check')

/** Entry name and its built declarations, from the `exports` of the package. */
const entries = Object.entries(JSON.parse(readFileSync(join(library, 'package.json'), 'utf8')).exports)
  .filter(([, target]) => typeof target === 'object')
  .map(([name, target]) => ({
    name: name === '.' ? 'index' : name.slice(2),
    file: join(library, target.import.types),
  }))

for (const { file } of entries) {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    throw new Error(`${file} is missing: run \`npm run build\` first`)
  }
}

/**
 * The declarations of one entry with everything it takes from other files put in its place.
 *
 * @param {string} name
 * @param {string} file
 */
async function surface(name, file) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-api-'))
  try {
    await build({
      config: false,
      cwd: library,
      entry: { [name]: file },
      outDir: folder,
      format: 'esm',
      platform: 'node',
      fixedExtension: true,
      logLevel: 'error',
      report: false,
      dts: { dtsInput: true },
    })
    const text = readFileSync(join(folder, `${name}.d.ts`), 'utf8')
    return `${text
      .replace(/ *\/\/#(end)?region.*$/gm, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim()}\n`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

mkdirSync(reports, { recursive: true })
let differing = 0
const wanted = new Set(entries.map(({ name }) => `${name}.d.ts`))
for (const { name, file } of entries) {
  const path = join(reports, `${name}.d.ts`)
  const now = await surface(name, file)
  const kept = statSync(path, { throwIfNoEntry: false }) === undefined ? '' : readFileSync(path, 'utf8')
  if (now === kept) continue
  if (!check) {
    writeFileSync(path, now)
    process.stdout.write(`api/${name}.d.ts written\n`)
    continue
  }
  differing += 1
  process.stdout.write(`api/${name}.d.ts differs from the built declarations:\n${difference(kept, now)}\n`)
}
for (const stray of readdirSync(reports).filter((file) => !wanted.has(file))) {
  differing += 1
  process.stdout.write(`api/${stray} belongs to no entry\n`)
}
if (differing > 0) {
  if (check) process.stdout.write('If the change is meant, run `npm run api` and commit the result.\n')
  process.exitCode = 1
}

/**
 * Lines that only one of the two has; enough to see what is meant.
 *
 * @param {string} before
 * @param {string} after
 */
function difference(before, after) {
  const old = new Set(before.split('\n'))
  const fresh = new Set(after.split('\n'))
  return [
    ...[...old].filter((line) => !fresh.has(line)).map((line) => `- ${line}`),
    ...[...fresh].filter((line) => !old.has(line)).map((line) => `+ ${line}`),
  ].join('\n')
}
