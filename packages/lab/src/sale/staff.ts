/**
 * The server processes of an act, seen from their parent. Each is a real process; `dismiss` ends it within a bounded
 * time and `killAll` at once, so that nothing outlives the demo.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { childFlags } from './driver.ts'
import { isServerMessage, type ServerMessage, type ServerOrders } from './messages.ts'
import type { Takes } from './takes.ts'

const START_MS_MAX = 15_000
const END_MS_MAX = 3_000
const STATS_MS_MAX = 5_000

export interface Clerk {
  readonly pid: number
  readonly port: number
  /** How it took the lock so far, asked over HTTP. */
  stats(): Promise<Takes>
  dismiss(): Promise<void>
}

const alive = new Set<ChildProcess>()

/** Starts a server and resolves once it listens. */
export async function hire(
  script: string,
  orders: ServerOrders,
  onMessage: (message: ServerMessage, child: ChildProcess) => void,
): Promise<Clerk> {
  const child = spawn(process.execPath, [...childFlags, script, JSON.stringify(orders)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  alive.add(child)
  const ended = once(child, 'exit').finally(() => alive.delete(child))
  const port = await listening(child, onMessage)
  return {
    pid: child.pid ?? 0,
    port,
    async stats() {
      const signal = AbortSignal.timeout(STATS_MS_MAX)
      return asTakes(await (await fetch(`http://127.0.0.1:${port}/stats`, { signal })).json())
    },
    async dismiss() {
      if (!alive.has(child)) return
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX)
      await ended
      clearTimeout(late)
    },
  }
}

/** Ends every server that still runs, without waiting. */
export function killAll(): void {
  for (const child of alive) child.kill('SIGKILL')
}

function listening(
  child: ChildProcess,
  onMessage: (message: ServerMessage, child: ChildProcess) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('a server of the sale did not start in time')), START_MS_MAX)
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      clearTimeout(late)
      reject(new Error(`a server of the sale ended before it listened (${signal ?? `exit code ${code}`})`))
    })
    child.on('message', (message: unknown) => {
      if (!isServerMessage(message)) return
      if (message.kind === 'listening') {
        clearTimeout(late)
        resolve(message.port)
      }
      onMessage(message, child)
    })
  })
}

function asTakes(value: unknown): Takes {
  const { remote, local } = value as { readonly remote?: unknown; readonly local?: unknown }
  if (typeof remote !== 'number' || typeof local !== 'number') throw new TypeError('/stats answered something else')
  return { remote, local }
}
