/**
 * A connection of our own, beside a client that others use: to subscribe, and to wait for replicas, neither of which may
 * hold up anybody else. Its driver does not open it again when it has ended, so that whoever uses it knows of the gap.
 */
import { type Clock, within } from '../../clock.ts'
import { BackendUnavailableError } from '../../errors.ts'
import { codeOf } from './failure.ts'
import type { Script } from './script.ts'

/** What runs scripts, by their digest and by their text. */
export interface Runner {
  bySha(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown>
  byText(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown>
}

export interface Spare extends Runner {
  readonly ready: boolean
  open(): Promise<unknown>
  send(command: readonly string[]): Promise<unknown>
  subscribe(channels: readonly string[], onMessage: (message: string) => void): Promise<unknown>
  /** Told once, when the connection is gone. */
  onEnd(listener: () => void): void
  close(): void
}

/** Makes one to the server that keeps the key; null: to any. */
export type MakeSpare = (key: string | null) => Promise<Spare>

const OPEN_MS = 5000

/** @throws {BackendUnavailableError} no connection within bounded time */
export async function opened(clock: Clock, make: () => Promise<Spare>): Promise<Spare> {
  const spare = await make()
  const outcome = await within(clock, OPEN_MS, spare.open())
  if (outcome.kind === 'value') return spare
  spare.close()
  if (outcome.kind === 'error') throw outcome.error
  throw new BackendUnavailableError(`no connection to Redis within ${OPEN_MS} ms`)
}

/** By its keys the text comes to the same server, whose cache has lost the script or never had it. */
export function runOn(
  runner: Runner,
  script: Script,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  return runner.bySha(script, keys, args).catch((error: unknown) => {
    if (codeOf(error) !== 'NOSCRIPT') throw error
    return runner.byText(script, keys, args)
  })
}
