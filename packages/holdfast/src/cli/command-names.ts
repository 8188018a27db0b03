/** The commands and the flags that each of them understands, besides those that all do. */
import type { FlagName } from './flags.ts'
import { UsageError } from './usage-error.ts'
import { quoted } from './visible-text.ts'

export const COMMANDS = ['run', 'acquire', 'release', 'ls', 'show'] as const
export type CommandName = (typeof COMMANDS)[number]

export const GENERAL_FLAGS: readonly FlagName[] = [
  'url',
  'namespace',
  'ttl',
  'max-ttl',
  'quarantine',
  'json',
  'help',
  'version',
]

const TAKE_FLAGS: readonly FlagName[] = ['wait', 'max-hold', 'shared', 'permits', 'label']

export const OWN_FLAGS: Readonly<Record<CommandName, readonly FlagName[]>> = {
  run: [...TAKE_FLAGS, 'grace', 'conflict-exit-code'],
  acquire: TAKE_FLAGS,
  release: ['id', 'force'],
  ls: [],
  show: [],
}

/** @throws {UsageError} no such command */
export function commandOf(word: string | null): CommandName {
  if (word === null) throw new UsageError(`which command? One of ${COMMANDS.join(', ')}`)
  const known = COMMANDS.find((name) => name === word)
  if (known === undefined) throw new UsageError(`there is no command ${quoted(word)}; there are ${COMMANDS.join(', ')}`)
  return known
}

/** @throws {UsageError} a flag that means nothing to this command */
export function refuseForeignFlags(command: CommandName, flags: Iterable<FlagName>): void {
  for (const flag of flags) {
    if (GENERAL_FLAGS.includes(flag) || OWN_FLAGS[command].includes(flag)) continue
    throw new UsageError(`--${flag} is no flag of ${command}`, command)
  }
}
