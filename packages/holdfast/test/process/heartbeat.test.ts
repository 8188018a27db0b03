/**
 * Who beats: a worker thread where one can start, and one for the whole process; the main thread in every other case,
 * with a reason that says which. It is never an error, and locks work as before.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs'
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
    {
      heartbeat: 'main',
      heartbeatReason: expect.stringContaining('a worker cannot open this sqlite store'),
    },
  )
  holding(
    "is in the main thread with heartbeat: 'main', and says why",
    { options: { ...options, heartbeat: 'main' } },
    {
      heartbeat: 'main',
      heartbeatReason: expect.stringContaining('set to main'),
    },
  )
  holding(
    'is in the main thread under Jest, and says why',
    { environment: { JEST_WORKER_ID: '1' } },
    {
      heartbeat: 'main',
      heartbeatReason: expect.stringContaining('Jest'),
    },
  )

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
})

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url))
const PROGRAM_PARTS = fileURLToPath(new URL('program', import.meta.url))
const LIBRARY = fileURLToPath(new URL('../../', import.meta.url))
/** In one file there is neither the worker nor the backend that it would have to load. */
const BUNDLED = { heartbeat: 'main', heartbeatReason: expect.stringMatching(/by itself|bundled/) }
const MISSING = { heartbeat: 'main', heartbeatReason: expect.stringContaining('not beside the library') }

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

/** The package as it is installed, without one of its files. */
function installedWithout(stage: Stage, file: string): string {
  const installed = join(stage.folder, 'node_modules', 'holdfast')
  mkdirSync(installed, { recursive: true })
  cpSync(join(LIBRARY, 'package.json'), join(installed, 'package.json'))
  cpSync(join(LIBRARY, 'dist'), join(installed, 'dist'), { recursive: true })
  rmSync(join(installed, 'dist', file))
  cpSync(PROGRAM, join(stage.folder, 'program.mjs'))
  cpSync(PROGRAM_PARTS, join(stage.folder, 'program'), { recursive: true })
  return join(stage.folder, 'program.mjs')
}

describe.concurrent('where no worker can be found, the main thread beats and says why:', () => {
  test(
    'in a single-file bundle of ECMAScript modules',
    onStage(async (stage) => {
      const program = await bundled(stage, 'esm')
      expect(await holdLong(await stage.party({ options, program }))).toMatchObject(BUNDLED)
    }),
  )

  test(
    'in a single-file bundle as a CommonJS module',
    onStage(async (stage) => {
      const program = await bundled(stage, 'cjs')
      expect(await holdLong(await stage.party({ options, program }))).toMatchObject(BUNDLED)
    }),
  )

  test(
    'in an installation that lacks it',
    onStage(async (stage) => {
      const program = installedWithout(stage, 'worker.mjs')
      expect(await holdLong(await stage.party({ options, program }))).toMatchObject(MISSING)
    }),
  )
})
