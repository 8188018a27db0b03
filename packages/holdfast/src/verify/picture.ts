/** Operations as lines of text, one a process, time from left to right. */
import type { Operation } from './operations.ts'

const WIDTH = 60
const MS = 1e6

/**
 * ```text
 * a  |==acquire 7====)            |=release=)
 * b        |==acquire 7==)
 *    0.000 ms                            12.300 ms
 * ```
 * Begun at `|`, answered at `)`; `?`: no answer is known.
 */
export function pictureOf(operations: readonly Operation[]): string {
  const shown = [...operations].sort((a, b) => a.invokedNs - b.invokedNs)
  const [first] = shown
  if (first === undefined) return ''
  const ends = shown.map(({ endedNs, invokedNs }) => (endedNs === Infinity ? invokedNs : endedNs))
  const [fromNs, toNs] = [first.invokedNs, Math.max(...ends)]
  const columnOf = (ns: number): number =>
    toNs === fromNs ? 0 : Math.round(((Math.min(ns, toNs) - fromNs) / (toNs - fromNs)) * (WIDTH - 1))
  const left = Math.max(...shown.map(({ process }) => printable(process).length))
  const lines = shown.map((operation) => {
    const { process, invokedNs, endedNs } = operation
    const from = columnOf(invokedNs)
    const bar = barOf(labelOf(operation), columnOf(endedNs) - from, endedNs === Infinity ? '?' : ')')
    return `${printable(process).padEnd(left)}  ${' '.repeat(from)}${bar}`
  })
  const scale = `${(fromNs / MS).toFixed(3)} ms`
  const last = `${(toNs / MS).toFixed(3)} ms`
  return [
    ...lines,
    `${' '.repeat(left)}  ${scale}${last.padStart(Math.max(last.length + 1, WIDTH - scale.length))}`,
    '',
  ].join('\n')
}

function barOf(label: string, columns: number, end: string): string {
  return `|${`=${label}`.padEnd(Math.max(columns - 1, 0), '=')}${end}`
}

function labelOf({ action, shared, permits, kind, fence, slot, value, read, outcome }: Operation): string {
  const parts: string[] = [shared ? `${action} shared` : action]
  if (kind === 'semaphore' && action === 'acquire') parts.push(`${permits} permits`)
  if (slot !== null) parts.push(`slot ${slot}`)
  if (fence !== null) parts.push(`fence ${fence}`)
  if (value !== null) parts.push(printable(value))
  if (action === 'read') parts.push(read === null ? 'nothing' : printable(read))
  if (outcome === 'fail') parts.push('failed')
  return parts.join(' ')
}

/** Names are somebody's: they draw no lines of their own and tell no terminal anything. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 24)
}
