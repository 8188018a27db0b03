/** The source of a strategy, for the report: read from the checkout that the lab was built in. */
import { readFileSync } from 'node:fs'
import type { Source } from '../findings/findings.ts'
import type { Strategy } from '../strategies/strategy.ts'

/** Where a strategy points, which has the same words. */
const POINTER = /\bline: ['"`]/
/** From `dist`. */
const FOLDER = new URL('../src/strategies/', import.meta.url)

/** @throws {TypeError} the line that a strategy points at is not in its file */
export function sourceOf({ name, source: { file, line } }: Strategy, folder: URL = FOLDER): Source {
  const text = readFileSync(new URL(file, folder), 'utf8')
  const number = text.split('\n').findIndex((one) => one.includes(line) && !POINTER.test(one)) + 1
  if (number === 0) throw new TypeError(`${file} has no line with ${JSON.stringify(line)}, at which ${name} points`)
  return { text, line: number }
}
