/** What documents refer to: files and headings by links, and tests by their names. */
import { dirname, join, normalize } from 'node:path/posix'

export interface Documents {
  /** Text of a document; null for what is none but is there; undefined: nothing is there. Paths from the root. */
  readonly at: (path: string) => string | null | undefined
}

/** One line for each link inside the repository that leads nowhere. */
export function deadLinks(path: string, document: string, { at }: Documents): readonly string[] {
  const prose = document.replace(/^```[\s\S]*?^```$/gm, '')
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target).flatMap((target) => {
    if (/^https?:/.test(target)) return []
    const [file = '', heading] = target.split('#')
    const found = normalize(file === '' ? path : join(dirname(path), file))
    const text = at(found)
    if (text === undefined) return [`${path} links to ${target}, where nothing is`]
    if (heading === undefined || headingsOf(text ?? '').includes(heading)) return []
    return [`${path} links to ${target}, which has no such heading`]
  })
}

/** As GitHub names them in addresses. */
function headingsOf(document: string): readonly string[] {
  return Array.from(document.matchAll(/^#+ +(.+)$/gm), ([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Names of tests that a document quotes in “typographic” marks, over line ends. */
export function namedTests(document: string): readonly string[] {
  return Array.from(document.replace(/\s+/g, ' ').matchAll(/“([^”]+)”/g), ([, name = '']) => name)
}

/** Those that no test has: a name is a string in the source of the tests. */
export function missingTests(document: string, sources: string): readonly string[] {
  const plain = sources.replaceAll('\\', '')
  return namedTests(document).filter((name) => !["'", '"', '`'].some((mark) => plain.includes(mark + name + mark)))
}
