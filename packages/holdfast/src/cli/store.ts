/**
 * Which store a command works on, and how it is named to people: a URL from the outside may carry a password, which
 * must not end up in a log because a lock was busy.
 */
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Duration } from '../duration.ts'
import { BackendRefusedError } from '../errors.ts'
import { type Holdfast, holdfast } from '../index.ts'
import { stateFolder } from './state-folder.ts'
import { UsageError } from './usage-error.ts'
import { quoted } from './visible-text.ts'

export interface StoreSetting {
  /** Null: the default file, whose folder is made when it is opened. */
  readonly url: string | null
  /** Where `url` and `namespace` come from, for messages. */
  readonly urlFrom: string
  readonly namespace: string
  readonly ttl: Duration
  readonly maxTtl: Duration | null
  readonly quarantine: boolean
}

/** The store's URL as people may see it. */
export function shownUrl(setting: StoreSetting): string {
  return withoutSecrets(setting.url ?? `sqlite:${defaultFile()}`)
}

/**
 * Opens nothing yet, but refuses a URL that cannot mean a store.
 *
 * @throws {UsageError} naming the flag or variable and the URL
 */
export function openStore(setting: StoreSetting): Holdfast {
  const url = setting.url ?? `sqlite:${madeDefaultFile()}`
  if (url.startsWith('memory:')) {
    throw new UsageError(`${setting.urlFrom} ${quoted(url)} does not work: a store in memory excludes nobody else`)
  }
  try {
    return holdfast(url, {
      namespace: setting.namespace,
      ttl: setting.ttl,
      ...(setting.maxTtl === null ? {} : { maxTtl: setting.maxTtl }),
      quarantine: setting.quarantine,
      // This thread has nothing else to do, so a second one for the heartbeat would only cost time and memory.
      heartbeat: 'main',
    })
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    throw new UsageError(
      `${setting.urlFrom} ${quoted(withoutSecrets(url))} does not work: ${withoutSecrets(error.message)}`,
    )
  }
}

/** A password between `:` and `@`, or in a parameter that is named like one, is replaced by `***`. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/(:\/\/[^:/?#@\s]*):[^\s]*@/g, '$1:***@')
    .replace(/([?&][^=&\s]*(?:pass|pwd|secret|token|key)[^=&\s]*=)[^&#\s]*/gi, '$1***')
}

function defaultFile(): string {
  const { platform, env } = process
  return join(stateFolder({ platform, environment: env, home: homedir() }), 'holdfast.db')
}

/** @throws {BackendRefusedError} when the folder cannot be made */
function madeDefaultFile(): string {
  const file = defaultFile()
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new BackendRefusedError(`the folder of the default store cannot be made: ${String(cause)}`, { cause })
  }
  return file
}
