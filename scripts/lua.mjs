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
    touch: ANYWAY,
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
 * The pieces of a part: whole functions by their name, and what stands between them.
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
    if (last !== undefined && (inside || (name === undefined && last.name === null))) last.text += `\n${line.trim()}`
    else pieces.push({ name: name ?? null, text: line.trim() })
    if (name !== undefined) inside = !/\bend$/.test(line)
    else if (line === 'end') inside = false
  }
  return pieces
}

/**
 * What a verb is made of, in order: pieces of shared parts by a name that all verbs share, and lines of its own. A line
 * `--@ part` stands for the shared part of that name.
 *
 * @param {URL} folder
 * @param {string} verb
 */
function madeOf(folder, verb) {
  /** @type {{ name: string | null, text: string }[]} */
  const made = []
  let after = ''
  // From the end: whatever a piece uses stands before it.
  for (const line of linesOf(folder, verb).reverse()) {
    const part = /^--@ (\w+)$/.exec(line)?.[1]
    const pieces = part === undefined ? [{ name: null, text: line.trim() }] : piecesOf(folder, `_${part}`).reverse()
    for (const [index, { name, text }] of pieces.entries()) {
      if (name !== null && !new RegExp(`\\b${name}\\b`).test(after)) continue
      after = `${text}\n${after}`
      const shared = part === undefined ? null : constant(`${part}_${name ?? pieces.length - index}`)
      const next = made[0]
      if (shared === null && next?.name === null) next.text = `${text}\n${next.text}`
      else made.unshift({ name: shared, text })
    }
  }
  return made
}

/** @param {string} text */
const literal = (text) => text.replace(/[\\`]|\$(?=\{)/g, '\\$&')
/** @param {string} name */
const constant = (name) => name.replace('-', '_').toUpperCase()

/**
 * @param {URL} folder
 * @param {Record<string, string>} verbs
 */
function moduleOf(folder, verbs) {
  const found = readdirSync(folder).filter((name) => !name.startsWith('_'))
  const missing = found.map((name) => name.replace(/\.lua$/, '')).filter((verb) => verbs[verb] === undefined)
  if (missing.length > 0) throw new Error(`scripts/lua.mjs does not know ${missing.join(', ')}`)
  /** @type {Map<string, string>} */
  const shared = new Map()
  const texts = Object.entries(verbs).map(([verb, first]) => {
    const pieces = madeOf(folder, verb).map(({ name, text }) => {
      if (name !== null) shared.set(name, `const ${name} = \`${literal(text)}\n\``)
      return name === null ? `${literal(text)}\n` : `\${${name}}`
    })
    return `export const ${constant(verb)}: string = \`${first}\n${pieces.join('')}\``
  })
  const header =
    '/** Generated from the files in lua/ by `npm run lua`. Long because all verbs and what they share is here. */'
  return `${[header, ...shared.values(), ...texts].join('\n\n')}\n`
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
