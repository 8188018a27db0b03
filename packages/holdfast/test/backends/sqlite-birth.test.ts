/** How a database file comes into being beside what an earlier one left, with other processes at the same thing. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFile } from '../../src/backends/sqlite/birth.ts'
import { BirthUnderWay } from '../../src/backends/sqlite/failure.ts'
import { systemClock } from '../../src/clock.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-birth-'))
  file = join(folder, 'locks.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a file that is not there is made empty, and what an earlier one left goes', () => {
  writeFileSync(`${file}-wal`, 'old')
  writeFileSync(`${file}-shm`, 'old')
  makeFile(file, systemClock)
  expect(readdirSync(folder)).toEqual(['locks.db'])
  expect(statSync(file).size).toBe(0)
})

test('log and index of a file that is there are left alone', () => {
  for (const suffix of ['', '-wal', '-shm']) writeFileSync(file + suffix, 'in use')
  makeFile(file, systemClock)
  expect(readdirSync(folder)).toHaveLength(3)
})

test('while another process makes the file nothing is taken away', () => {
  mkdirSync(`${file}-birth`)
  writeFileSync(`${file}-wal`, 'in use')
  expect(() => makeFile(file, systemClock)).toThrow(BirthUnderWay)
  expect(existsSync(`${file}-wal`)).toBe(true)
  expect(existsSync(file)).toBe(false)
})

test('whoever died while making the file holds up the others for some seconds only', () => {
  mkdirSync(`${file}-birth`)
  const longAgo = new Date(Date.now() - 11_000)
  utimesSync(`${file}-birth`, longAgo, longAgo)
  expect(() => makeFile(file, systemClock)).toThrow(BirthUnderWay)
  makeFile(file, systemClock)
  expect(readdirSync(folder)).toEqual(['locks.db'])
})
