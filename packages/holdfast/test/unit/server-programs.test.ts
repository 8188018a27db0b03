/** A program that the tests need and that is not there fails the run, and never leaves out a test. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { requirePrograms } from '../../../../scripts/servers/programs.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-programs-'))
  vi.stubEnv('PATH', folder)
  vi.stubEnv('HOLDFAST_INSTALL', 'never')
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const add = (program: string): void => writeFileSync(join(folder, program), '#!/bin/sh\nexit 1\n', { mode: 0o755 })

test('programs that are there are asked for nothing more', () => {
  add('redis-server')
  expect(() => requirePrograms(['redis-server'])).not.toThrow()
})

test('what is missing and must not be installed is told with the one command to type', () => {
  add('redis-server')
  add('apt-get')
  expect(() => requirePrograms(['redis-server', 'redis-sentinel', 'cc'])).toThrow(
    'PATH has no redis-sentinel, cc. Run this and try again: sudo apt-get update && ' +
      'sudo apt-get install -y --no-install-recommends redis-sentinel gcc libc6-dev',
  )
})

test('a system without Debian packages is told what to bring', () => {
  expect(() => requirePrograms(['redis-sentinel'])).toThrow(
    'PATH has no redis-sentinel. Install redis-sentinel, or what they are called there',
  )
})
