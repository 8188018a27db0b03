/**
 * Who beats: a worker thread where one can start, and one for the whole process; the main thread in every other case,
 * with a reason that says which. It is never an error, and locks work as before.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import { until } from './stage/moment.ts'
import type { Party } from './stage/party.ts'
import { type OpenSettings, onStage, type Stage } from './stage/stage.ts'

const { options, ttlMs, beatMs } = promises(1000)
const thing = { kind: 'mutex', name: 'pulse' }

interface Status {
  readonly heartbeat: 'worker' | 'main' | 'none'
  readonly heartbeatReason: string | null
}

const statusOf = async (party: Party, object = 'main'): Promise<Status> =>
  (await party.order<Status>('status', { object })).value

async function untilStatus(party: Party, matches: (status: Status) => boolean, object = 'main'): Promise<Status> {
  return until('the heartbeat', async () => {
    const status = await statusOf(party, object)
    return matches(status) ? status : null
  })
}

/** Takes a lock, waits until it is known who beats, and holds it for longer than the ttl. */
async function holdLong(party: Party, object = 'main'): Promise<Status> {
  await party.order('take', { object, as: object, thing: { ...thing, name: object } })
  const status = await untilStatus(
    party,
    ({ heartbeat, heartbeatReason }) => heartbeat === 'worker' || heartbeatReason !== null,
    object,
  )
  await pause(ttlMs + beatMs)
  expect((await party.order('question', { as: object })).value).toMatchObject({ held: true })
  expect((await party.order('release', { as: object })).value).toBe(true)
  return status
}

const main = (reason: string): object => ({ heartbeat: 'main', heartbeatReason: expect.stringContaining(reason) })

const holding = (title: string, settings: OpenSettings, expected: object): void => {
  test(
    title,
    onStage(async (stage) =>
      expect(await holdLong(await stage.party({ options, ...settings }))).toMatchObject(expected),
    ),
  )
}

describe.concurrent('the heartbeat', () => {
  const worker = { heartbeat: 'worker', heartbeatReason: null }

  holding('is in a worker with a URL', { how: 'url' }, worker)
  holding('is in a worker with sqlite(file)', { how: 'file' }, worker)
  holding(
    'is in the main thread with a database object that was handed in, and says why',
    { how: 'database' },
    main('a worker cannot open this sqlite store'),
  )
  holding(
    "is in the main thread with a database object also with heartbeat: 'worker'",
    { how: 'database', options: { ...options, heartbeat: 'worker' } },
    main('a worker cannot open this sqlite store'),
  )
  holding(
    "is in the main thread with heartbeat: 'main', and says why",
    { options: { ...options, heartbeat: 'main' } },
    main('set to main'),
  )
  holding('is in the main thread under Jest, and says why', { environment: { JEST_WORKER_ID: '1' } }, main('Jest'))

  test(
    'goes on in the main thread when the worker has ended, says why, and the lease is kept',
    onStage(async (stage) => {
      const party = await stage.start()
      await party.order('watchWorkers')
      await party.order('open', { file: stage.file, options, ready: true })
      await party.order('take', { as: 'it', thing })
      await untilStatus(party, ({ heartbeat }) => heartbeat === 'worker')
      await party.order('endWorkers')
      const { heartbeatReason } = await untilStatus(party, ({ heartbeat }) => heartbeat === 'main')
      expect(heartbeatReason).toContain('ended')
      await pause(ttlMs + beatMs)
      expect((await party.order('question', { as: 'it' })).value).toMatchObject({ held: true })
    }),
  )

  test(
    'is in one worker for two objects, which is gone within 200 ms of the last close and not before',
    onStage(async (stage) => {
      const party = await stage.start()
      await party.order('watchWorkers')
      for (const object of ['one', 'two']) {
        await party.order('open', { object, file: stage.file, options, ready: true })
        await party.order('take', { object, as: object, thing: { ...thing, name: object } })
        await untilStatus(party, ({ heartbeat }) => heartbeat === 'worker', object)
      }
      expect((await party.order('workerCount')).value).toBe(1)
      await party.order('close', { object: 'one' })
      await pause(200)
      expect((await party.order('workerCount')).value).toBe(1)
      expect(await statusOf(party, 'two')).toMatchObject(worker)
      const { beganMs } = await party.order('close', { object: 'two' })
      expectInTime('the worker ends', (await party.told('worker-over')).atMs - beganMs, 200)
    }),
  )

  test(
    'repeats nothing of what Node says of its SQLite, and passes on every other warning of its thread',
    onStage(async (stage) => {
      const flags = ['--warnings', '--import', new URL('program/warned.mjs', import.meta.url).href]
      const party = await stage.party({ options, flags })
      await party.order('take', { as: 'it', thing })
      await untilStatus(party, ({ heartbeat }) => heartbeat === 'worker')
      const said = await until('the warning', () => (party.stderr.includes('Fire is') ? party.stderr : null))
      expect(said).not.toContain('SQLite is an experimental feature of a thread')
      // That of the main thread, where Node has a driver that it calls so.
      expect(said.split('SQLite is an experimental').length - 1).toBeLessThanOrEqual(1)
    }),
  )
})

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url))
const PROGRAM_PARTS = fileURLToPath(new URL('program', import.meta.url))
const LIBRARY = fileURLToPath(new URL('../../', import.meta.url))
/** In one file there is neither the worker nor the backend that it would have to load. */
const BUNDLED = { heartbeat: 'main', heartbeatReason: expect.stringMatching(/by itself|bundled/) }

/** One file with the program, the library and nothing else. */
async function bundled(stage: Stage, format: 'esm' | 'cjs'): Promise<string> {
  const outfile = join(stage.folder, format === 'esm' ? 'bundle.mjs' : 'bundle.cjs')
  const packages = ['libsql', 'better-sqlite3', 'node:sqlite']
  await build({
    entryPoints: [PROGRAM],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    outfile,
    external: packages,
    logLevel: 'silent',
  })
  return outfile
}

/** The package as it is installed, but with this text as its worker, or with none. */
function installed(stage: Stage, worker: string | null): string {
  const folder = join(stage.folder, 'node_modules', 'holdfast')
  mkdirSync(folder, { recursive: true })
  cpSync(join(LIBRARY, 'package.json'), join(folder, 'package.json'))
  cpSync(join(LIBRARY, 'dist'), join(folder, 'dist'), { recursive: true })
  if (worker === null) rmSync(join(folder, 'dist/worker.mjs'))
  else writeFileSync(join(folder, 'dist/worker.mjs'), worker)
  cpSync(PROGRAM, join(stage.folder, 'program.mjs'))
  cpSync(PROGRAM_PARTS, join(stage.folder, 'program'), { recursive: true })
  return join(stage.folder, 'program.mjs')
}

describe.concurrent('the heartbeat is in the main thread, which says why,', () => {
  const programs: [title: string, program: (stage: Stage) => string | Promise<string>, expected: object][] = [
    ['in a single-file bundle of ECMAScript modules', (stage) => bundled(stage, 'esm'), BUNDLED],
    ['in a single-file bundle as a CommonJS module', (stage) => bundled(stage, 'cjs'), BUNDLED],
    ['when the worker file is not there', (stage) => installed(stage, null), main('not beside the library')],
    ['when the worker throws', (stage) => installed(stage, "throw new Error('not today')"), main('not today')],
    ['when the worker ends at once', (stage) => installed(stage, 'process.exit(0)'), main('ended')],
  ]
  for (const [title, program, expected] of programs) {
    test(
      title,
      onStage(async (stage) => {
        const party = await stage.party({ options, program: await program(stage) })
        expect(await holdLong(party)).toMatchObject(expected)
      }),
    )
  }
})
