/**
 * Writes the Lua of the Redis backend into one committed module: for each verb its text, with those functions of the
 * shared parts that it uses where it asks for them, and comments and blank lines left out. A function is made anew in
 * each call of a script, so those that are not used would cost time. With --check nothing is written; a stale module fails.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = new URL('../packages/holdfast/src/backends/redis/lua/', import.meta.url)
const target = new URL('../packages/holdfast/src/backends/redis/lua.ts', import.meta.url)

/** What gives something back, or keeps what there is, works without memory; what only looks may not write. */
const ANYWAY = '#!lua flags=allow-oom'
const LOOK = '#!lua flags=no-writes'
const TAKE = '#!lua'

/** @type {Record<string, string>} */
const VERBS = {
  agree: TAKE,
  open: TAKE,
  enter: TAKE,
  ask: ANYWAY,
  leave: ANYWAY,
  amend: ANYWAY,
  beat: ANYWAY,
  'beat-bare': ANYWAY,
  finish: ANYWAY,
  evict: ANYWAY,
  inspect: LOOK,
  list: LOOK,
  'cell-get': LOOK,
  'cell-set': TAKE,
  'cell-add': TAKE,
  'cell-remove': ANYWAY,
}

/** @param {string} name */
function linesOf(name) {
  const lines = readFileSync(new URL(`${name}.lua`, folder), 'utf8').split('\n')
  return lines.filter((line) => line.startsWith('--@') || (line.trim() !== '' && !line.trim().startsWith('--')))
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

/**
 * A line `--@ part` stands for the shared part of that name.
 *
 * @param {string} verb
 */
function textOf(verb) {
  let text = ''
  // From the end: whatever a piece uses stands before it.
  for (const line of linesOf(verb).reverse()) {
    const part = /^--@ (\w+)$/.exec(line)?.[1]
    const pieces = part === undefined ? [{ name: null, text: line.trim() }] : piecesOf(`_${part}`).reverse()
    for (const { name, text: piece } of pieces) {
      if (name === null || new RegExp(`\\b${name}\\b`).test(text)) text = `${piece}\n${text}`
    }
  }
  return `${VERBS[verb]}\n${text}`
}

/** @param {string} text */
const literal = (text) => `\`${text.replace(/[\\`$]/g, '\\$&')}\``
/** @param {string} verb */
const constant = (verb) => verb.replace('-', '_').toUpperCase()

const found = readdirSync(folder).filter((name) => !name.startsWith('_'))
const missing = found.map((name) => name.replace(/\.lua$/, '')).filter((verb) => VERBS[verb] === undefined)
if (missing.length > 0) throw new Error(`scripts/lua.mjs does not know ${missing.join(', ')}`)

const text = [
  '/** Generated from the files in lua/ by `npm run lua`. Long because each verb is a text of its own. */',
  ...Object.keys(VERBS).map((verb) => `export const ${constant(verb)}: string = ${literal(textOf(verb))}`),
  '',
].join('\n\n')
if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  process.stderr.write(`${fileURLToPath(target)} is stale: run \`npm run lua\`\n`)
  process.exitCode = 1
}
