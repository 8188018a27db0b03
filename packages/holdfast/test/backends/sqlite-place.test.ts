/** Where a SQLite store may be, and how it says that it may not be there. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { portOf } from '../../src/backend.ts'
import { sqlite } from '../../src/backends/sqlite/index.ts'
import { mountType, networkName } from '../../src/backends/sqlite/place.ts'
import type { Ledger } from '../../src/port.ts'
import { systemRandom } from '../../src/random.ts'
import { key, MAX_TTL_MS, openDatabase, sessionDraft, temporaryFile } from './bench.ts'
import { SteppedClock } from './stepped-clock.ts'

let file: string
let dispose: () => void

beforeEach(() => {
  ;({ file, dispose } = temporaryFile())
})
afterEach(() => dispose())

const setup = {
  namespace: 'test',
  maxTtlMs: MAX_TTL_MS,
  quarantine: false,
  clock: new SteppedClock(),
  random: systemRandom,
  onHint: (): void => {},
}
const connect = (path: string): Promise<Ledger> => portOf(sqlite(path)).connect(setup)

async function worksAt(path: string): Promise<void> {
  const ledger = await connect(path)
  await ledger.open(sessionDraft('a'))
  expect((await ledger.ask(key('a'), [])).state).toBe('told')
  await ledger.close()
}

describe('a path', () => {
  test.each(['', ':memory:', 'a\0b'])('that is %j is refused at once', (path) => {
    expect(() => sqlite(path)).toThrow(RangeError)
  })

  test.each([null, undefined, 5, {}, [], { exec: 1, prepare: 2, close: 3 }])('is not %j', (value) => {
    expect(() => sqlite(value as never)).toThrow(TypeError)
  })

  test('that says what else to use when it would be in memory', () => {
    expect(() => sqlite(':memory:')).toThrow(/memory\(\)/)
  })

  test('is taken from the folder that is current when it is given', async () => {
    const folder = dirname(file)
    mkdirSync(join(folder, 'elsewhere'))
    const before = process.cwd
    process.cwd = () => folder
    const backend = sqlite('relative.db')
    process.cwd = () => join(folder, 'elsewhere')
    try {
      await (await portOf(backend).connect(setup)).close()
    } finally {
      process.cwd = before
    }
    expect(readFileSync(join(folder, 'relative.db')).subarray(0, 15).toString()).toBe('SQLite format 3')
  })
})

describe('a place that will not do is refused by a typed error that names the file and the reason, and heals', () => {
  const refused = (reason: RegExp): object => ({
    code: 'BACKEND_REFUSED',
    message: expect.stringMatching(reason),
    cause: expect.anything(),
  })

  test('a folder that does not exist', async () => {
    const path = join(dirname(file), 'no', 'such', 'locks.db')
    await expect(connect(path)).rejects.toMatchObject(refused(/no.such.locks\.db.*folder does not exist/))
    mkdirSync(dirname(path), { recursive: true })
    await worksAt(path)
  })

  test('a folder in place of the file', async () => {
    mkdirSync(file)
    await expect(connect(file)).rejects.toMatchObject(refused(/it is a folder/))
    rmSync(file, { recursive: true })
    await worksAt(file)
  })

  test('a file that is no database', async () => {
    const text = 'this is a letter, not a database. '.repeat(100)
    writeFileSync(file, text)
    await expect(connect(file)).rejects.toMatchObject(refused(/not a SQLite database/))
    expect(readFileSync(file, 'utf8')).toBe(text)
    rmSync(file)
    await worksAt(file)
  })
})

describe('a database', () => {
  test('of something else is refused by its path, and left as it is', async () => {
    const other = openDatabase(file)
    other.exec('create table users (id integer)')
    other.close()
    const before = readFileSync(file)
    await expect(connect(file)).rejects.toMatchObject({
      code: 'BACKEND_REFUSED',
      message: expect.stringMatching(/something else.*hand in/),
    })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('that another application has marked as its own is refused although it is empty', async () => {
    const other = openDatabase(file)
    other.exec('pragma application_id = 252006673; pragma user_version = 1')
    other.close()
    await expect(connect(file)).rejects.toMatchObject({ code: 'BACKEND_REFUSED' })
  })

  test('of something else may hold the locks when it is handed in, and is found by its path from then on', async () => {
    const other = openDatabase(file)
    other.exec('create table users (id integer)')
    const ledger = await portOf(sqlite(other)).connect(setup)
    await ledger.open(sessionDraft('a'))
    await ledger.close()
    other.exec('insert into users values (1)')
    other.close()
    await worksAt(file)
  })

  test.each([0, 1, 3, 999])(
    'with layout %i is refused, naming both layouts, before anything is written',
    async (layout) => {
      await worksAt(file)
      const editor = openDatabase(file)
      editor.exec(`update hf_store set layout = ${layout}; pragma wal_checkpoint(truncate)`)
      editor.close()
      const before = readFileSync(file)
      await expect(connect(file)).rejects.toMatchObject({
        code: 'BACKEND_REFUSED',
        message: expect.stringMatching(new RegExp(`layout ${layout}, .*layout 2`)),
      })
      expect(readFileSync(file).equals(before)).toBe(true)
      expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
    },
  )

  test.each([
    ['a table', 'drop table hf_space'],
    ['a view', 'drop view hf_claim'],
    ['a column', 'alter table hf_cell drop column value'],
    ['a column of the header', 'alter table hf_store drop column boot'],
  ])('of ours that lacks %s is refused at once, saying what is missing', async (_, sql) => {
    await worksAt(file)
    const editor = openDatabase(file)
    editor.exec(sql)
    editor.close()
    await expect(connect(file)).rejects.toMatchObject({
      code: 'BACKEND_REFUSED',
      message: expect.stringMatching(/table or column of this library is missing.*no such \w+: .*\w/),
    })
  })

  test('of ours that loses a table while it is open refuses from then on', async () => {
    const ledger = await connect(file)
    await ledger.open(sessionDraft('a'))
    const editor = openDatabase(file)
    editor.exec('drop table hf_session')
    editor.close()
    await expect(ledger.open(sessionDraft('b'))).rejects.toMatchObject({
      code: 'BACKEND_REFUSED',
      message: expect.stringContaining('no such table: '),
    })
    await ledger.close()
  })

  test('is marked as ours, keeps a write-ahead log, and is left alone by a second opening', async () => {
    await worksAt(file)
    const reader = openDatabase(file)
    expect(reader.prepare('pragma application_id').get()).toMatchObject({ application_id: 0x48464c4b })
    expect(reader.prepare('pragma journal_mode').get()).toMatchObject({ journal_mode: 'wal' })
    reader.close()
  })
})

describe('a network file system', () => {
  const never = (): string | null => null

  test.each([
    [0x6969, 'NFS'],
    [0xff534d42, 'CIFS'],
    [0xff534d42 | 0, 'CIFS'],
    [0xfe534d42, 'SMB2'],
    [0x01021997, '9P'],
  ])('is known by its type %i as %s', (type, name) => {
    expect(networkName(type, never)).toBe(name)
  })

  test.each([0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630])('is not what has the type %i', (type) => {
    expect(networkName(type, never)).toBeNull()
  })

  test('in user space is known by what runs there', () => {
    expect(networkName(0x65735546, () => 'fuse.sshfs')).toBe('fuse.sshfs')
    expect(networkName(0x65735546, () => 'fuse.ntfs-3g')).toBeNull()
    expect(networkName(0x65735546, never)).toBeNull()
  })

  test('is found by the mount point nearest to the folder', () => {
    const mounts = [
      '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
      '40 22 0:35 / /mnt/far\\040away rw - fuse.sshfs host:/ rw',
      '41 40 8:2 / /mnt/far\\040away/disk rw - xfs /dev/sdb1 rw',
    ].join('\n')
    expect(mountType('/mnt/far away/locks', mounts)).toBe('fuse.sshfs')
    expect(mountType('/mnt/far away', mounts)).toBe('fuse.sshfs')
    expect(mountType('/mnt/far away/disk/locks', mounts)).toBe('xfs')
    expect(mountType('/mnt/far awayish', mounts)).toBe('ext4')
    expect(mountType('/', mounts)).toBe('ext4')
  })
})
