/**
 * Writes the Lua of the Redis backend into one committed module: for each verb its text, behind those functions of the
 * shared parts that it uses, with comments and blank lines left out; a function is made anew in each call of a script,
 * so those that are not used cost time. With --check nothing is written; a stale module fails.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = new URL('../packages/holdfast/src/backends/redis/lua/', import.meta.url)
const target = new URL('../packages/holdfast/src/backends/redis/lua.ts', import.meta.url)

/** The parts a verb stands on. */
const READS = ['_header', '_line']
const WRITES = ['_header', '_era', '_line']
const BEGINS = ['_header', '_era', '_constants', '_line']
const CELLS = ['_header', '_era']
/** What gives something back, or keeps what there is, works without memory; what only looks may not write. */
const ANYWAY = '#!lua flags=allow-oom'
const LOOK = '#!lua flags=no-writes'
const TAKE = '#!lua'

/** @type {Record<string, { first: string, parts: readonly string[] }>} */
const VERBS = {
  agree: { first: TAKE, parts: ['_header', '_era', '_constants'] },
  open: { first: TAKE, parts: BEGINS },
  enter: { first: TAKE, parts: WRITES },
  ask: { first: ANYWAY, parts: WRITES },
  leave: { first: ANYWAY, parts: WRITES },
  amend: { first: ANYWAY, parts: WRITES },
  beat: { first: ANYWAY, parts: WRITES },
  'beat-bare': { first: ANYWAY, parts: [] },
  finish: { first: ANYWAY, parts: WRITES },
  evict: { first: ANYWAY, parts: WRITES },
  inspect: { first: LOOK, parts: READS },
  list: { first: LOOK, parts: READS },
  'cell-get': { first: LOOK, parts: ['_header'] },
  'cell-set': { first: TAKE, parts: CELLS },
  'cell-add': { first: TAKE, parts: CELLS },
  'cell-remove': { first: ANYWAY, parts: CELLS },
}

/** @param {string} name */
function linesOf(name) {
  const lines = readFileSync(new URL(`${name}.lua`, folder), 'utf8').split('\n')
  return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('--'))
}

/**
 * The pieces of a part: whole functions by their name, and everything else line by line.
 *
 * @param {string} part
 */
function piecesOf(part) {
  /** @type {{ name: string | null, text: string }[]} */
  const pieces = []
  let inside = false
  for (const line of linesOf(part)) {
    const name = /^local function (\w+)/.exec(line)?.[1]
    const last = pieces.at(-1)
    if (inside && last !== undefined) last.text += `\n${line.trim()}`
    else pieces.push({ name: name ?? null, text: line.trim() })
    if (name !== undefined) inside = !/\bend$/.test(line)
    else if (line === 'end') inside = false
  }
  return pieces
}

/** @param {string} verb */
function textOf(verb) {
  const { first, parts } = /** @type {{ first: string, parts: readonly string[] }} */ (VERBS[verb])
  const own = linesOf(verb).map((line) => line.trim())
  let text = own.join('\n')
  // From the end: whatever a piece uses stands before it.
  for (const { name, text: piece } of parts.flatMap(piecesOf).reverse()) {
    if (name === null || new RegExp(`\\b${name}\\b`).test(text)) text = `${piece}\n${text}`
  }
  return `${first}\n${text}\n`
}

/** @param {string} text */
const literal = (text) => `\`${text.replace(/[\\`$]/g, '\\$&')}\``
/** @param {string} verb */
const constant = (verb) => verb.replace('-', '_').toUpperCase()

const found = readdirSync(folder).filter((name) => !name.startsWith('_'))
const missing = found.map((name) => name.replace(/\.lua$/, '')).filter((verb) => VERBS[verb] === undefined)
if (missing.length > 0) throw new Error(`scripts/lua.mjs does not know ${missing.join(', ')}`)

const text = [
  '/** Generated from the files in lua/ by `npm run lua`. */',
  ...Object.keys(VERBS).map((verb) => `export const ${constant(verb)}: string = ${literal(textOf(verb))}`),
  '',
].join('\n\n')
if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  process.stderr.write(`${fileURLToPath(target)} is stale: run \`npm run lua\`\n`)
  process.exitCode = 1
}
