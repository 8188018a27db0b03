/**
 * Writes the Lua of the Redis backend and of the guard into one committed module each: for each verb its text, with
 * those functions of the shared parts that it uses where it asks for them, and comments and blank lines left out. A
 * function is made anew in each call of a script, so those that are not used would cost time. With --check nothing is
 * written; a stale module fails.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const sources = new URL('../packages/holdfast/src/', import.meta.url)

/** What gives something back, or keeps what there is, works without memory; what only looks may not write. */
const ANYWAY = '#!lua flags=allow-oom'
const LOOK = '#!lua flags=no-writes'
const TAKE = '#!lua'

/**
 * By the folder in which `lua/` and the module are: verbs and the first line of each.
 *
 * @type {Record<string, Record<string, string>>}
 */
const MODULES = {
  'backends/redis': {
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
  },
  guards: { guarded: TAKE },
}

/**
 * @param {URL} folder
 * @param {string} name
 */
function linesOf(folder, name) {
  const lines = readFileSync(new URL(`${name}.lua`, folder), 'utf8').split('\n')
  return lines.filter((line) => line.startsWith('--@') || (line.trim() !== '' && !line.trim().startsWith('--')))
}

/**
 * The pieces of a part: whole functions by their name, and everything else line by line.
 *
 * @param {URL} folder
 * @param {string} part
 */
function piecesOf(folder, part) {
  /** @type {{ name: string | null, text: string }[]} */
  const pieces = []
  let inside = false
  for (const line of linesOf(folder, part)) {
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
 * @param {URL} folder
 * @param {string} verb
 * @param {string} first
 */
function textOf(folder, verb, first) {
  let text = ''
  // From the end: whatever a piece uses stands before it.
  for (const line of linesOf(folder, verb).reverse()) {
    const part = /^--@ (\w+)$/.exec(line)?.[1]
    const pieces = part === undefined ? [{ name: null, text: line.trim() }] : piecesOf(folder, `_${part}`).reverse()
    for (const { name, text: piece } of pieces) {
      if (name === null || new RegExp(`\\b${name}\\b`).test(text)) text = `${piece}\n${text}`
    }
  }
  return `${first}\n${text}`
}

/** @param {string} text */
const literal = (text) => `\`${text.replace(/[\\`]|\$(?=\{)/g, '\\$&')}\``
/** @param {string} verb */
const constant = (verb) => verb.replace('-', '_').toUpperCase()

/**
 * @param {URL} folder
 * @param {Record<string, string>} verbs
 */
function moduleOf(folder, verbs) {
  const found = readdirSync(folder).filter((name) => !name.startsWith('_'))
  const missing = found.map((name) => name.replace(/\.lua$/, '')).filter((verb) => verbs[verb] === undefined)
  if (missing.length > 0) throw new Error(`scripts/lua.mjs does not know ${missing.join(', ')}`)
  const constants = Object.entries(verbs).map(
    ([verb, first]) => `export const ${constant(verb)}: string = ${literal(textOf(folder, verb, first))}`,
  )
  const header =
    '/** Generated from the files in lua/ by `npm run lua`. Long because each verb is a text of its own. */'
  return `${[header, ...constants].join('\n\n')}\n`
}

for (const [place, verbs] of Object.entries(MODULES)) {
  const text = moduleOf(new URL(`${place}/lua/`, sources), verbs)
  const target = new URL(`${place}/lua.ts`, sources)
  if (!process.argv.includes('--check')) writeFileSync(target, text)
  else if (readFileSync(target, 'utf8') !== text) {
    process.stderr.write(`${fileURLToPath(target)} is stale: run \`npm run lua\`\n`)
    process.exitCode = 1
  }
}
