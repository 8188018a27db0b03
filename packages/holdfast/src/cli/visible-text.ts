/**
 * Text from a store or a command line, made safe for a terminal: names, labels and hosts are other people's, and an
 * escape sequence in one of them must not move a cursor, rename a window or turn the line around.
 */

/**
 * Control characters, lone surrogates, line and paragraph separators, what changes the direction of writing, and what
 * shows nothing and joins nothing, so that two names that look alike are alike.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u{200b}\u{2060}-\u{2064}\u{feff}\u{e0000}-\u{e007f}]/gu
const NOT_ONE_LINE =
  /[^\P{Cc}\n]|[\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u{200b}\u{2060}-\u{2064}\u{feff}\u{e0000}-\u{e007f}]/gu

/** The text on one line, with everything that a terminal might obey written out as `\u{1b}`. */
export function visible(text: string): string {
  return text.replace(UNSAFE, spellOut)
}

/** As {@link visible}, for messages of our own that have lines. */
export function visibleLines(text: string): string {
  return text.replace(NOT_ONE_LINE, spellOut)
}

/** A value given by the user, as it may stand in a message: quoted, on one line and never longer than 60 characters. */
export function quoted(text: string): string {
  const characters = Array.from(text.slice(0, 200))
  const short = text.length > 60 ? `${characters.slice(0, 60).join('')}…` : text
  return visible(JSON.stringify(short))
}

/** One JSON document on one line. What a terminal might obey is escaped inside it, which JSON readers undo. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
  return text.replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at))}`).join(''),
  )
}

/** Columns that the text takes on a terminal: two for wide characters, none for marks that sit on another. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return columns
}

/** The text, or its beginning and `…`, in at most `columns`. */
export function clipped(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const character of text) {
    used += columnsOf(character)
    if (used > columns - 1) break
    kept += character
  }
  return `${kept}…`
}

const ZERO = /[\p{Mn}\p{Me}\p{Cf}]/u
const WIDE =
  /[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

function spellOut(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

function hex(unit: number): string {
  return unit.toString(16).padStart(4, '0')
}
