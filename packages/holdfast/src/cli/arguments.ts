/**
 * Cuts a command line into the command, its arguments and its flags. Values are taken as they stand, also when they
 * begin with a dash, so that `--wait -5s` is answered by what is wrong with `-5s` and not by a riddle about options.
 */
import { FLAGS, type FlagName } from './flags.ts'
import { UsageError } from './usage-error.ts'
import { quoted } from './visible-text.ts'

export interface CommandLine {
  readonly command: string | null
  /** What stands before `--`, without the command and the flags. */
  readonly operands: readonly string[]
  readonly flags: ReadonlyMap<FlagName, string | true>
  /** What stands after the first `--`; null: there was none. */
  readonly rest: readonly string[] | null
}

/** @throws {UsageError} unknown flag, missing or superfluous value, or a flag given twice */
export function parseCommandLine(words: readonly string[]): CommandLine {
  const cut = words.indexOf('--')
  const head = cut < 0 ? words : words.slice(0, cut)
  const flags = new Map<FlagName, string | true>()
  const plain: string[] = []
  for (let at = 0; at < head.length; at++) {
    const word = head[at] ?? ''
    if (!word.startsWith('-') || word === '-') {
      plain.push(word)
      continue
    }
    const { name, value } = splitFlag(word)
    if (flags.has(name)) throw new UsageError(`--${name} is given twice`, plain[0] ?? null)
    if (!FLAGS[name].takesValue) {
      if (value !== null) throw new UsageError(`--${name} takes no value, not ${quoted(value)}`, plain[0] ?? null)
      flags.set(name, true)
      continue
    }
    const text = value ?? head[++at]
    if (text === undefined) throw new UsageError(`--${name} needs a value: ${FLAGS[name].wants}`, plain[0] ?? null)
    flags.set(name, text)
  }
  const [command = null, ...operands] = plain
  return { command, operands, flags, rest: cut < 0 ? null : words.slice(cut + 1) }
}

/** Whether the answer is wanted as JSON, also when the rest of the command line makes no sense. */
export function wantsJson(words: readonly string[]): boolean {
  const cut = words.indexOf('--')
  return (cut < 0 ? words : words.slice(0, cut)).includes('--json')
}

function splitFlag(word: string): { readonly name: FlagName; readonly value: string | null } {
  if (word === '-h') return { name: 'help', value: null }
  const equals = word.indexOf('=')
  const spelled = equals < 0 ? word : word.slice(0, equals)
  const name = spelled.startsWith('--') ? spelled.slice(2) : ''
  if (!isFlagName(name)) throw new UsageError(`there is no flag ${quoted(spelled)}`)
  return { name, value: equals < 0 ? null : word.slice(equals + 1) }
}

function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name)
}
