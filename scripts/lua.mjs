/**
 * Writes the Lua of the Redis backend into one committed module: for each verb its text, behind the parts it is built
 * on, with comments and blank lines left out. With --check nothing is written; a stale module fails.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = new URL('../packages/holdfast/src/backends/redis/lua/', import.meta.url)
const target = new URL('../packages/holdfast/src/backends/redis/lua.ts', import.meta.url)
/** What each verb stands on; `beat-bare` must touch one key only. */
const PARTS = { line: ['_header', '_line'], cell: ['_header'], bare: [] }

/** @param {string} name */
const read = (name) => readFileSync(new URL(`${name}.lua`, folder), 'utf8')

/** @param {string} text */
const stripped = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('--'))
    .join('\n')

/** @param {string} verb */
function partsOf(verb) {
  if (verb === 'beat-bare') return PARTS.bare
  return verb.startsWith('cell-') ? PARTS.cell : PARTS.line
}

const verbs = readdirSync(folder)
  .filter((name) => name.endsWith('.lua') && !name.startsWith('_'))
  .map((name) => name.slice(0, -'.lua'.length))
  .sort()
const constant = (/** @type {string} */ verb) => verb.replace('-', '_').toUpperCase()
const literal = (/** @type {string} */ text) => `\`${text.replace(/[\\`$]/g, '\\$&')}\n\``
const parts = [...new Set(Object.values(PARTS).flat())]
const lines = [
  '/** Generated from the files in lua/ by `npm run lua`. */',
  ...parts.map((part) => `const ${part.slice(1).toUpperCase()}: string = ${literal(stripped(read(part)))}`),
  ...verbs.map((verb) => {
    const before = partsOf(verb).map((part) => `\${${part.slice(1).toUpperCase()}}`)
    const body = literal(stripped(read(verb)))
    return `export const ${constant(verb)}: string = \`${before.join('')}${body.slice(1)}`
  }),
]
const text = `${lines.join('\n\n')}\n`
if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  process.stderr.write(`${fileURLToPath(target)} is stale: run \`npm run lua\`\n`)
  process.exitCode = 1
}
