/** A process ends within 200 ms of `close`, after cuts and also beside a server that hangs. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { setup as needBuild } from '../../../../scripts/need-build.ts'
import { RedisServer } from '../../../../scripts/servers/index.ts'

const EXIT_MS = 200

beforeAll(needBuild)

const LIBRARY = new URL('../../dist/', import.meta.url)
const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** Holds, waits and listens; closes when it is told to, and says when that was done. */
const PROGRAM = `
import { holdfast } from '${new URL('index.mjs', LIBRARY).href}'
import { redis } from '${new URL('redis.mjs', LIBRARY).href}'
const [one, two] = [0, 1].map(() => holdfast(redis(process.argv[1]), { namespace: 'exit', ttl: '3s' }))
await one.mutex('thing').acquire()
two.mutex('thing').acquire({ wait: 'forever' }).catch(() => {})
await new Promise((resolve) => setTimeout(resolve, 500))
process.stdout.write('holding\\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
process.stdin.destroy()
await Promise.all([one.close(), two.close()])
process.stdout.write('closed\\n')
`

/** Its first connection hangs. */
const EARLY = `
import { holdfast } from '${new URL('index.mjs', LIBRARY).href}'
const locks = holdfast(process.argv[1], { namespace: 'exit' })
locks.mutex('thing').acquire().catch(() => {})
await new Promise((resolve) => setTimeout(resolve, 500))
await locks.close()
process.stdout.write('closed\\n')
`

async function exitMs(server: RedisServer, trouble: () => Promise<void>, program = PROGRAM): Promise<number> {
  const args = ['--input-type=module', '-e', program, server.url]
  const child = spawn(process.execPath, args, { cwd: FOLDER, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<number>((resolve) => child.once('exit', () => resolve(performance.now())))
  let closedMs = 0
  for await (const line of createInterface(child.stdout)) {
    if (line === 'closed') closedMs = performance.now()
    if (line !== 'holding') continue
    await trouble()
    child.stdin.write('close\n')
  }
  const endedMs = await ended
  expect(child.exitCode).toBe(0)
  expect(closedMs).toBeGreaterThan(0)
  return endedMs - closedMs
}

test('a process ends within 200 ms of close after its connections were cut', async () => {
  await using server = await RedisServer.start({ name: 'exit' })
  const cut = async (): Promise<void> => {
    await server.ask('CLIENT', 'KILL', 'USER', 'default', 'SKIPME', 'yes')
  }
  expect(await exitMs(server, cut)).toBeLessThan(EXIT_MS)
})

test('a process ends within 200 ms of close beside a server that hangs', async () => {
  await using server = await RedisServer.start({ name: 'exit' })
  const hang = async (): Promise<void> => server.pause()
  expect(await exitMs(server, hang)).toBeLessThan(EXIT_MS)
})

test('a process ends within 200 ms of close while its first connection hangs', async () => {
  await using server = await RedisServer.start({ name: 'exit' })
  server.pause()
  expect(await exitMs(server, async () => {}, EARLY)).toBeLessThan(EXIT_MS)
})
