/** One Redis server of a test's own, on a free port and with nothing on the disk; it ends with the test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

export interface LoneServer {
  readonly port: number
  stop(): Promise<void>
}

export async function startServer(): Promise<LoneServer> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-redis-'))
  const process = spawn(
    'redis-server',
    ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder],
    { stdio: 'ignore' },
  )
  await answers(port, process)
  return {
    port,
    async stop() {
      process.kill('SIGKILL')
      if (process.exitCode === null && process.signalCode === null) await once(process, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  listener.close()
  await once(listener, 'close')
  if (address === null || typeof address === 'string') throw new Error('there is no free port')
  return address.port
}

async function answers(port: number, process: ChildProcess): Promise<void> {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null })
  client.on('error', () => {})
  const ended = once(process, 'exit').then(() => Promise.reject(new Error('redis-server ended at once')))
  await Promise.race([client.ping(), ended])
  ended.catch(() => {})
  client.disconnect()
}
