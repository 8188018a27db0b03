/**
 * Rows for people and rows for programs: on a terminal a table that fits it, else one line a row with tabs between the
 * fields and no heading. Cells are made visible here, so nothing from a store reaches an output unescaped.
 */
import { clipped, columnsOf, visible } from './visible-text.ts'

export interface Style {
  readonly isTerminal: boolean
  readonly colour: boolean
  /** Width of the terminal. */
  readonly columns: number
}

const GAP = '  '
const LAST_COLUMN_MIN = 10

export function table(style: Style, heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(visible))
  if (!style.isTerminal) return cells.map((row) => `${row.join('\t')}\n`).join('')
  const widths = heading.map((title, column) =>
    Math.max(...[heading, ...cells].map((row) => columnsOf(row[column] ?? '')), title.length),
  )
  const lines = [heading, ...cells].map((row, index) => {
    const text = fitted(row, widths, style.columns)
    return index === 0 && style.colour ? `\u001b[1m${text}\u001b[22m\n` : `${text}\n`
  })
  return lines.join('')
}

/** The last column takes what is left, because it is the one that is only read. */
function fitted(row: readonly string[], widths: readonly number[], columns: number): string {
  const fixed = row.slice(0, -1).map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - columnsOf(cell)))
  const used = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0)
  const last = clipped(row.at(-1) ?? '', Math.max(LAST_COLUMN_MIN, columns - used))
  return [...fixed, last].join(GAP).trimEnd()
}

/** Whether and how a stream is looked at by a person. https://no-color.org */
export function styleOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  environment: Readonly<Record<string, string | undefined>>,
): Style {
  const isTerminal = stream.isTTY === true
  const colour = isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb'
  return { isTerminal, colour, columns: stream.columns ?? 80 }
}
