/**
 * The command and all that it starts, as one thing to signal. On POSIX a process group of its own; on Windows, which
 * has none, only the command itself can be reached.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessGroup {
  /** False: there was nobody to signal, or we may not. */
  signal(signal: NodeJS.Signals): boolean
  /** Whether anything of it still runs. */
  isAlive(): boolean
}

/** How a command ended: its own status, or the signal that ended it. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export type Started =
  | { readonly kind: 'running'; readonly pid: number; readonly group: ProcessGroup; readonly ended: Promise<Ended> }
  | { readonly kind: 'failed'; readonly errno: string; readonly message: string }

/** Windows would give a detached command a console window of its own, and has no groups to put it in. */
export const HAS_GROUPS: boolean = process.platform !== 'win32'

export function processGroup(pid: number): ProcessGroup {
  const target = HAS_GROUPS ? -pid : pid
  return {
    signal: (signal) => reached(target, signal),
    isAlive: () => reached(target, 0) && !hasOnlyZombies(pid),
  }
}

/**
 * Starts the command without a shell, with this process's own stdin, stdout and stderr, at the head of a new group.
 * It has no controlling terminal there, so Ctrl-C reaches us alone and is passed on.
 */
export function startInGroup(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Started> {
  let child: ChildProcess
  try {
    child = spawn(file, args, { stdio: 'inherit', detached: HAS_GROUPS, env: { ...environment } })
  } catch (error) {
    return Promise.resolve(failure(error))
  }
  const { pid } = child
  if (pid === undefined) return new Promise((resolve) => child.once('error', (error) => resolve(failure(error))))
  const ended = new Promise<Ended>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  child.on('error', () => {})
  return Promise.resolve({ kind: 'running', pid, group: processGroup(pid), ended })
}

function failure(error: unknown): Started {
  const errno = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN'
  return { kind: 'failed', errno, message: error instanceof Error ? error.message : String(error) }
}

function reached(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch (error) {
    // EPERM: somebody is there who is not ours to signal, such as a command that became another user.
    return signal === 0 && error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Where nobody collects the dead, as in a container without an init, a group of zombies can be signalled for ever.
 * Only Linux can tell; elsewhere they count as alive until they are collected.
 */
function hasOnlyZombies(group: number): boolean {
  if (process.platform !== 'linux') return false
  if (lives(String(group), group)) return false
  return !readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && lives(entry, group))
}

function lives(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name before it may hold blanks and brackets: proc_pid_stat(5).
    const [state, , groupOfPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(groupOfPid) === group && state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}
