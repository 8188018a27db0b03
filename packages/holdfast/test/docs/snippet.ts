/**
 * Snippets: pieces of the examples between `// snippet: name` and `// end`, and the code blocks of the documents that
 * are cut from them. A snippet may have several pieces; other marks inside a piece are left out.
 */

const BEGIN = /^\s*\/\/ snippet: ([\w-]+)$/
const END = /^\s*\/\/ end$/

/** The snippets of one example, by name, without the indentation that all their lines have. */
export function snippetsOf(example: string): ReadonlyMap<string, string> {
  const pieces = new Map<string, string[]>()
  let open: string[] | null = null
  for (const line of example.split('\n')) {
    const name = BEGIN.exec(line)?.[1]
    if (name !== undefined) {
      open = pieces.get(name) ?? []
      pieces.set(name, open)
    } else if (END.test(line)) open = null
    else open?.push(line)
  }
  return new Map([...pieces].map(([name, lines]) => [name, outdented(lines)]))
}

function outdented(lines: readonly string[]): string {
  const depths = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const depth = Math.min(...depths)
  return lines
    .map((line) => line.slice(depth))
    .join('\n')
    .trim()
}

export interface Block {
  readonly line: number
  /** As it says: the example and the name of the snippet. */
  readonly source: { readonly example: string; readonly name: string } | null
  readonly text: string
}

/** The JavaScript and TypeScript blocks of a document. Other languages are left alone. */
export function blocksOf(document: string): readonly Block[] {
  return Array.from(
    document.matchAll(
      /(?:<!-- (examples\/[\w./-]+): ([\w-]+) -->\n)?^```(?:js|mjs|cjs|ts|javascript|typescript)\b.*\n([\s\S]*?)^```$/gm,
    ),
    ({ index, 1: example, 2: name, 3: text = '' }) => ({
      line: document.slice(0, index).split('\n').length,
      source: example === undefined || name === undefined ? null : { example, name },
      text: text.trimEnd(),
    }),
  )
}

/** One line for each block that is not what its source says. `read` gives an example's text, or null. */
export function strayBlocks(
  path: string,
  document: string,
  read: (example: string) => string | null,
): readonly string[] {
  return blocksOf(document).flatMap(({ line, source, text }) => {
    if (source === null) return [`${path}:${line} is cut from no example`]
    const wanted = snippetsOf(read(source.example) ?? '').get(source.name)
    if (wanted === undefined) return [`${path}:${line} names ${source.example}: ${source.name}, which is not there`]
    return text === wanted
      ? []
      : [`${path}:${line} differs from ${source.example}: ${source.name}, which is\n${wanted}`]
  })
}

/** The codes in the second column of a document's tables that do not stand in the example. */
export function strayCalls(document: string, example: string): readonly string[] {
  const plain = (text: string): string => text.replace(/\s+/g, '')
  const rows = Array.from(document.matchAll(/^\|[^|]*\|([^|]*)\|/gm), ([, ours = '']) => ours)
  const calls = rows.flatMap((ours) => Array.from(ours.matchAll(/`([^`]+)`/g), ([, call = '']) => call))
  return calls.filter((call) => !plain(example).includes(plain(call)))
}
