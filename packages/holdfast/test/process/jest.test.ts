/** A test of a user, run by Jest: locks work there, the main thread beats, and Jest is not kept from ending. */
import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { onStage } from './stage/stage.ts'

const LIBRARY = fileURLToPath(new URL('../../', import.meta.url))
const JEST = join(dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin/jest.js')
const LIMIT_MS = 30_000

const USERS_TEST = `
const { holdfast } = require('holdfast')
test('a lock', async () => {
  const locks = holdfast('sqlite:' + process.env.LOCKS_FILE, { namespace: 'jest', ttl: '1s' })
  const lease = await locks.mutex('x').acquire()
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(lease.isHeld()).toBe(true)
  const { heartbeat, heartbeatReason } = locks.status()
  expect(heartbeat).toBe('main')
  expect(heartbeatReason).toMatch(/Jest/)
  expect(await lease.release()).toBe(true)
  await locks.close()
})
`

test(
  'inside Jest a lease is kept by the main thread, which says why, and Jest ends by itself',
  onStage(async (stage) => {
    mkdirSync(join(stage.folder, 'node_modules'))
    symlinkSync(LIBRARY, join(stage.folder, 'node_modules', 'holdfast'))
    writeFileSync(join(stage.folder, 'package.json'), '{ "private": true }')
    writeFileSync(join(stage.folder, 'users.test.js'), USERS_TEST)
    const environment = { ...process.env, NODE_OPTIONS: '', LOCKS_FILE: stage.file }
    const { stderr } = await promisify(execFile)(
      process.execPath,
      [JEST, '--rootDir', stage.folder, '--watchman=false'],
      {
        cwd: stage.folder,
        env: environment,
        timeout: LIMIT_MS,
      },
    )
    expect(stderr).toContain('1 passed')
    expect(stderr).not.toContain('did not exit')
  }),
)
