/** What each command was asked to do, checked completely before anything is opened. */
import type { Duration } from '../duration.ts'
import type { CommandLine } from './arguments.ts'
import { EXIT } from './exit-code.ts'
import {
  boundedOf,
  durationOf,
  exitCodeOf,
  type FlagName,
  idOf,
  labelOf,
  nameOf,
  namespaceOf,
  permitsOf,
  prefixOf,
  refusal,
  waitOf,
} from './flags.ts'
import type { StoreSetting } from './store.ts'
import { UsageError } from './usage-error.ts'
import { quoted } from './visible-text.ts'

/** How a lock is taken. */
export interface TakeOrder {
  readonly name: string
  readonly mode: 'exclusive' | 'shared' | { readonly permits: number; readonly capacity: number }
  readonly wait: Duration | 0 | 'forever'
  readonly maxHold: { readonly text: Duration; readonly ms: number } | null
  readonly label: string | null
}

export interface RunOrder extends TakeOrder {
  readonly file: string
  readonly args: readonly string[]
  readonly graceMs: number
  readonly busyExitCode: number
}

export interface ReleaseOrder {
  readonly name: string
  readonly id: string | null
  readonly force: boolean
}

const TTL_MS_MIN = 1000
const MAX_TTL_MS_MAX = 600_000
const GRACE_MS = 5000
const LABEL_CHARACTERS_MAX = 60

export function storeSetting(
  { flags }: CommandLine,
  environment: Readonly<Record<string, string | undefined>>,
): StoreSetting & { readonly ttlMs: number } {
  const maxTtl = mapped(text(flags, 'max-ttl'), (value) => boundedOf('max-ttl', value, TTL_MS_MIN, MAX_TTL_MS_MAX))
  const ttl = boundedOf('ttl', text(flags, 'ttl') ?? '15s', TTL_MS_MIN, maxTtl?.ms ?? 60_000)
  const url = text(flags, 'url') ?? (environment.HOLDFAST_URL || null)
  if (url === '') throw refusal('url', url)
  return {
    url,
    urlFrom: flags.has('url') ? '--url' : 'HOLDFAST_URL',
    namespace: namespaceFrom(text(flags, 'namespace'), environment.HOLDFAST_NAMESPACE),
    ttl: ttl.text,
    ttlMs: ttl.ms,
    maxTtl: maxTtl?.text ?? null,
    quarantine: flags.has('quarantine'),
  }
}

export function runOrder(line: CommandLine): RunOrder {
  const { operands, flags, rest } = line
  if (rest === null && operands.length > 1) {
    throw new UsageError(`the command to run must stand behind "--": -- ${operands.slice(1).map(quoted).join(' ')}`)
  }
  const take = takeOrder(line, rest)
  const [file, ...args] = rest ?? []
  if (file === undefined || file === '') throw new UsageError('a command to run must stand behind "--"')
  const grace = text(flags, 'grace')
  const graceMs = grace === null ? GRACE_MS : durationOf('grace', grace).ms
  if (grace !== null && take.maxHold !== null && graceMs >= take.maxHold.ms) {
    throw new UsageError(`--grace must be shorter than --max-hold ${take.maxHold.text}, not ${quoted(grace)}`)
  }
  const busy = text(flags, 'conflict-exit-code')
  return { ...take, file, args, graceMs, busyExitCode: busy === null ? EXIT.busy : exitCodeOf(busy) }
}

export function acquireOrder(line: CommandLine): TakeOrder {
  const take = takeOrder(restAsOperands(line), null)
  if (take.maxHold === null) throw new UsageError('acquire needs --max-hold: nobody renews what it takes')
  return take
}

export function releaseOrder(line: CommandLine): ReleaseOrder {
  const name = onlyName(restAsOperands(line))
  const id = mapped(text(line.flags, 'id'), idOf)
  const force = line.flags.has('force')
  if (id === null && !force) throw new UsageError('release needs --id ID, or --force to end whoever holds it')
  return { name, id, force }
}

export function showOrder(line: CommandLine): { readonly name: string } {
  return { name: onlyName(restAsOperands(line)) }
}

export function listOrder(line: CommandLine): { readonly prefix: string } {
  const { operands } = restAsOperands(line)
  if (operands.length > 1) throw new UsageError(`ls takes one prefix; ${quoted(operands[1] ?? '')} is too much`)
  return { prefix: prefixOf(operands[0] ?? '') }
}

function takeOrder(line: CommandLine, rest: readonly string[] | null): TakeOrder {
  const { flags } = line
  const permits = text(flags, 'permits')
  if (permits !== null && flags.has('shared')) {
    throw new UsageError(`--permits ${quoted(permits)} and --shared exclude each other: a lock is one or the other`)
  }
  const label = text(flags, 'label')
  return {
    name: onlyName(line),
    mode: permits !== null ? permitsOf(permits) : flags.has('shared') ? 'shared' : 'exclusive',
    wait: waitOf(text(flags, 'wait') ?? '30s'),
    maxHold: mapped(text(flags, 'max-hold'), (value) => boundedOf('max-hold', value, 1, Number.MAX_SAFE_INTEGER)),
    label: label !== null ? labelOf(label) : rest === null ? null : labelFor(rest),
  }
}

/** The command line on one line and shortened, so that whoever finds the lock busy knows what holds it. */
export function labelFor(words: readonly string[]): string | null {
  const characters = Array.from(
    words
      .join(' ')
      .slice(0, 10 * LABEL_CHARACTERS_MAX)
      .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
      .trim(),
  )
  const short = characters.slice(0, LABEL_CHARACTERS_MAX).join('')
  return short === '' ? null : characters.length > LABEL_CHARACTERS_MAX ? `${short}…` : short
}

function onlyName({ operands, command }: CommandLine): string {
  const [name, extra] = operands
  if (name === undefined) throw new UsageError(`${command} needs a NAME`)
  if (extra !== undefined) throw new UsageError(`${command} takes one NAME; ${quoted(extra)} is too much`)
  return nameOf(name)
}

/** Everywhere but in `run`, `--` only ends the flags: behind it a name may begin with a dash. */
function restAsOperands(line: CommandLine): CommandLine {
  return { ...line, operands: [...line.operands, ...(line.rest ?? [])], rest: null }
}

function namespaceFrom(flag: string | null, variable: string | undefined): string {
  if (flag !== null) return namespaceOf(flag)
  if (!variable) return 'default'
  try {
    return namespaceOf(variable)
  } catch {
    throw new UsageError(`HOLDFAST_NAMESPACE must be 1 to 512 bytes of text, not ${quoted(variable)}`)
  }
}

function text(flags: CommandLine['flags'], name: FlagName): string | null {
  const value = flags.get(name)
  return typeof value === 'string' ? value : null
}

function mapped<T>(value: string | null, map: (text: string) => T): T | null {
  return value === null ? null : map(value)
}
