/**
 * What was seen of a lock service: events in the order of one monotonic clock, written as JSON lines. The format is not
 * bound to Holdfast: whoever can record when a lock was asked for and when it was had can have his service checked.
 */
export const KINDS = ['mutex', 'rwlock', 'semaphore', 'election', 'latch', 'barrier', 'register'] as const
export type Kind = (typeof KINDS)[number]

/**
 * `acquire` and `release`: of a mutex, read–write lock, semaphore or election. `arrive` and `await`: of a latch; a
 * barrier has `await` alone. `read` and `write`: of a register, the data behind a lock.
 */
export const ACTIONS = ['acquire', 'release', 'arrive', 'await', 'read', 'write'] as const
export type Action = (typeof ACTIONS)[number]

interface Moment {
  /** Nanoseconds of a monotonic clock that all processes share, such as `process.hrtime.bigint()`. */
  readonly ns: bigint
  readonly process: string
}

/** A process begins an operation. It may have several on their way at once. */
export interface Invoked extends Moment {
  readonly type: 'invoke'
  /** Names the operation in the events that follow. */
  readonly op: string
  readonly kind: Kind
  readonly name: string
  readonly action: Action
  /** Of a read–write lock: whether it is a reader's. */
  readonly shared: boolean
  /** Of a semaphore: how many permits. */
  readonly permits: number
  /** Of a semaphore its capacity, of a latch its count, of a barrier its parties, as the caller believes. */
  readonly capacity: number
  /** Of a release: the operation that acquired. */
  readonly of: string | null
  /** What is written, or who arrives: an arrival that is repeated counts once. */
  readonly value: string | null
}

/**
 * How it ended. `ok`: it took effect. `fail`: it had and will have none. `unknown`: it may have taken effect, or may do
 * so yet; an operation without an end is one of these.
 */
export interface Ended extends Moment {
  readonly type: 'ok' | 'fail' | 'unknown'
  readonly op: string
  readonly fence: bigint | null
  readonly slot: number | null
  /** What was read; null: nothing was there. */
  readonly value: string | null
}

/**
 * `queued`: it is known to stand in line. `lost`: from this moment on its process no longer believed to hold what it had
 * acquired. `expired`: from this moment on the service may give it to others, whatever its process believes.
 */
export interface Noted extends Moment {
  readonly type: 'queued' | 'lost' | 'expired'
  readonly op: string
}

/** The process ended, or was stopped for good: it believes in nothing any more. */
export interface Died extends Moment {
  readonly type: 'died'
}

export type HistoryEvent = Invoked | Ended | Noted | Died

const LINE_MAX = 64 * 1024
const NUMBER_MAX = 2 ** 53 - 1
/** Nanoseconds and fences are below 2^63 in all systems we know. */
const DIGITS_MAX = 19

/** One event as a line, without its end. Numbers that JSON would round are decimal text. */
export function lineOf(event: HistoryEvent): string {
  return JSON.stringify(event, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

/**
 * Reads what `lineOf` wrote, or another program. Lines that are empty are passed over; what is left out counts as null,
 * false or 1.
 *
 * @throws {SyntaxError} naming the line, for what is no event
 */
export function readHistory(text: string): readonly HistoryEvent[] {
  const events: HistoryEvent[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    try {
      if (line.length > LINE_MAX) throw new SyntaxError(`it has more than ${LINE_MAX} characters`)
      events.push(eventOf(JSON.parse(line)))
    } catch (error) {
      throw new SyntaxError(`line ${index + 1} is no event: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return events
}

const SHOWN_MAX = 40

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, SHOWN_MAX)
}

type Fields = Readonly<Record<string, unknown>>

function eventOf(parsed: unknown): HistoryEvent {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new SyntaxError('it is no object')
  // What is inherited is nobody's word.
  const fields: Fields = Object.assign(Object.create(null), parsed)
  const moment = { ns: wholeOf(fields, 'ns'), process: textOf(fields, 'process') }
  const { type } = fields
  switch (type) {
    case 'invoke':
      return {
        ...{ ...moment, type, op: textOf(fields, 'op'), name: textOf(fields, 'name') },
        kind: oneOf(fields, 'kind', KINDS),
        action: oneOf(fields, 'action', ACTIONS),
        shared: flagOf(fields, 'shared'),
        permits: countOf(fields, 'permits', 1) ?? 1,
        capacity: countOf(fields, 'capacity', 1) ?? 1,
        of: optional(fields, 'of', textOf),
        value: optional(fields, 'value', textOf),
      }
    case 'ok':
    case 'fail':
    case 'unknown':
      return {
        ...{ ...moment, type, op: textOf(fields, 'op') },
        fence: optional(fields, 'fence', wholeOf),
        slot: countOf(fields, 'slot', 0),
        value: optional(fields, 'value', textOf),
      }
    case 'queued':
    case 'lost':
    case 'expired':
      return { ...moment, type, op: textOf(fields, 'op') }
    case 'died':
      return { ...moment, type }
    default:
      throw new SyntaxError(`its type is ${show(type)}`)
  }
}

function optional<T>(fields: Fields, name: string, read: (fields: Fields, name: string) => T): T | null {
  return fields[name] === undefined || fields[name] === null ? null : read(fields, name)
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string') throw new SyntaxError(`${name} is no text: ${show(value)}`)
  return value
}

function wholeOf(fields: Fields, name: string): bigint {
  const value = fields[name]
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !/^\d+$/.test(text) || text.length > DIGITS_MAX) {
    throw new SyntaxError(`${name} is no whole number of at most ${DIGITS_MAX} digits: ${show(value)}`)
  }
  return BigInt(text)
}

function countOf(fields: Fields, name: string, least: number): number | null {
  const value = fields[name] ?? null
  if (value === null) return null
  if (!Number.isSafeInteger(value) || Number(value) < least || Number(value) > NUMBER_MAX) {
    throw new SyntaxError(`${name} is no whole number from ${least} on: ${show(value)}`)
  }
  return Number(value)
}

function flagOf(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false
  if (typeof value !== 'boolean') throw new SyntaxError(`${name} is neither true nor false: ${show(value)}`)
  return value
}

function oneOf<T extends string>(fields: Fields, name: string, known: readonly T[]): T {
  const found = known.find((one) => one === fields[name])
  if (found === undefined) throw new SyntaxError(`${name} is none of ${known.join(', ')}: ${show(fields[name])}`)
  return found
}
