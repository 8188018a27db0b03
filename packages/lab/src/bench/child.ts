/**
 * The parent's side of a measurement: starts a job in a process of its own. Every child has a hard time limit and is
 * killed at its end; a measurement whose child was killed fails.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { childFlags } from '../sale/driver.ts'
import { mailbox } from './job.ts'

export interface Child {
  readonly pid: number
  say(message: unknown): void
  /** The child's next message. Rejects when the child ended without one. */
  hear(): Promise<unknown>
  kill(): void
}

const alive = new Set<ChildProcess>()

export function startChild(script: string, job: string, input: unknown, limitMs: number): Child {
  const child = spawn(process.execPath, [...childFlags, '--expose-gc', script, job, JSON.stringify(input)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // JSON would turn a figure that could not be measured into null.
    serialization: 'advanced',
  })
  alive.add(child)
  const box = mailbox()
  child.on('message', box.put)
  child.once('error', box.shut)
  const limit = setTimeout(() => {
    box.shut(new Error(`the job ${job} took longer than ${limitMs / 1000} s`))
    child.kill('SIGKILL')
  }, limitMs)
  child.once('close', (code, signal) => {
    clearTimeout(limit)
    alive.delete(child)
    box.shut(new Error(`the job ${job} ended early (${signal ?? `exit code ${code}`})`))
  })
  return {
    pid: child.pid ?? 0,
    say: (message) => void child.send(message as object, () => {}),
    hear: box.take,
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Runs a job that says one thing at its end. */
export async function runJob(script: string, job: string, input: unknown, limitMs: number): Promise<unknown> {
  const child = startChild(script, job, input, limitMs)
  try {
    return await child.hear()
  } finally {
    child.kill()
  }
}

/** Ends every child that still runs, without waiting. */
export function killAll(): void {
  for (const child of alive) child.kill('SIGKILL')
}
