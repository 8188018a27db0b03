/** Our end of the pipe to the watchdog. Losing it costs the protection against our own death, never the command. */
import { spawn } from 'node:child_process'
import type { Limits } from './ladder.ts'
import { HAS_GROUPS } from './process-group.ts'
import { farewell, WATCHDOG_COMMAND, written } from './watchdog.ts'

export interface WatchdogLine {
  tell(group: number, limits: Limits, graceMs: number, told: boolean): void
  /** The command has ended; nothing is to be done any more. */
  bye(): void
}

const NOBODY: WatchdogLine = { tell: () => {}, bye: () => {} }

/**
 * Starts the watchdog in a session of its own, so that neither Ctrl-C nor the end of a terminal reaches it. It holds
 * none of our files open: a pipeline ends when the command does.
 */
export function startWatchdog(program: string, onFailure: (error: Error) => void): WatchdogLine {
  if (!HAS_GROUPS) return NOBODY
  const dog = spawn(process.execPath, [program, WATCHDOG_COMMAND], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: {},
  })
  dog.on('error', onFailure)
  // It may be gone before us; its end of the pipe is then nothing to fail over.
  dog.stdin.on('error', () => {})
  dog.unref()
  return {
    tell: (group, limits, graceMs, told) => {
      dog.stdin.write(written({ group, limits, graceMs, told }))
    },
    bye: () => {
      dog.stdin.end(farewell)
    },
  }
}
