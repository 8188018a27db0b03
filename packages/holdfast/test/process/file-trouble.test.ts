/**
 * What can happen to a SQLite file while somebody holds a lock in it: each trouble is told by a class of its own, in
 * time, and a holder that is not concerned goes on.
 */
import { chmodSync, copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import { nowMs } from './stage/moment.ts'
import type { Answer, Party } from './stage/party.ts'
import { smallDisk } from './stage/small-disk.ts'
import { onStage } from './stage/stage.ts'
import { stopInsideWrite } from './stage/stopped-writer.ts'
import { execute, makeResource, readResource, soundness } from './stage/store-file.ts'
import { powerless } from './stage/unprivileged.ts'

const { options, ttlMs, beatMs, takeoverMs } = promises(1000)
const name = 'ledger'
const thing = { kind: 'mutex', name }
/** What cannot heal is told at once, not at the end of the wait. */
const AT_ONCE_MS = 1000

interface Granted {
  readonly fence: string
}

const take = (party: Party, wait = '10s'): Promise<Answer<Granted>> =>
  party.order('take', { as: 'it', thing, options: { wait } })
const isHeld = async (party: Party): Promise<boolean> =>
  (await party.order<{ held: boolean }>('question', { as: 'it' })).value.held

/** Another lock can be had, by whom it may concern. */
async function works(party: Party, key: string): Promise<void> {
  const { value } = await party.order('take', { as: key, thing: { kind: 'mutex', name: key }, options: { wait: '5s' } })
  expect(value).not.toBeNull()
  expect((await party.order('release', { as: key })).value).toBe(true)
}

/** It is refused at once, for a reason that the message gives, and the same again. */
async function isRefused(party: Party, file: string, reason: RegExp): Promise<void> {
  await party.order('open', { file, options })
  for (const verb of ['acquire', 'tryAcquire']) {
    const failure = await party.failure('take', {
      as: 'it',
      thing,
      verb,
      options: verb === 'acquire' ? { wait: '10s' } : {},
    })
    expect(failure).toMatchObject({ code: 'BACKEND_REFUSED', message: expect.stringMatching(reason) })
    expect(failure.message).toContain(file)
    expectInTime('a refusal', failure.atMs - failure.beganMs, AT_ONCE_MS)
  }
}

async function copyAs(file: string, copy: string): Promise<void> {
  await execute(file, 'pragma wal_checkpoint(truncate)')
  copyFileSync(file, copy)
}

describe.concurrent('a file that is deleted while a lease is held', () => {
  /** Away with it, and with what belongs to it. */
  function remove(file: string): number {
    const atMs = nowMs()
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
    return atMs
  }

  test(
    'costs the holder its lease, which it is told within ttl and a beat, and everybody goes on with a new file',
    onStage(async (stage) => {
      const [holder, other] = await stage.three({ options })
      await take(holder)
      const removedMs = remove(stage.file)
      const { atMs } = await holder.told('lost', { as: 'it' })
      expectInTime('loss by a deleted file is told', atMs - removedMs, takeoverMs)
      await works(holder, 'again')
      await works(other, 'again')
      expect(await soundness(stage.file)).toBe('ok')
    }),
  )

  test(
    'gives the next holder a higher fence, so that a late write is refused, and no lease is held twice for long',
    onStage(async (stage) => {
      const resource = join(stage.folder, 'resource.db')
      await makeResource(resource)
      const write = (party: Party, value: string): Promise<Answer<boolean>> =>
        party.order('write', { as: 'it', file: resource, value })
      const [holder, other] = await stage.three({ options })
      const { value: before } = await take(holder)
      expect((await write(holder, 'before')).value).toBe(true)
      await stage.stop(holder)
      remove(stage.file)
      const { value: after } = await take(other)
      expect(BigInt(after.fence)).toBeGreaterThan(BigInt(before.fence))
      expect((await write(other, 'after')).value).toBe(true)
      holder.goOn()
      expect((await write(holder, 'late')).value).toBe(false)
      expect(await readResource(resource)).toBe('after')
      await holder.told('lost', { as: 'it' })
      expect(await isHeld(other)).toBe(true)
    }),
  )

  test(
    'and replaced by an older copy costs the holder its lease as well, which it is told within ttl and a beat',
    onStage(async (stage) => {
      const [holder, other] = await stage.three({ options })
      await copyAs(stage.file, `${stage.file}.older`)
      await take(holder)
      remove(stage.file)
      renameSync(`${stage.file}.older`, stage.file)
      const removedMs = nowMs()
      const { atMs } = await holder.told('lost', { as: 'it' })
      expectInTime('loss by an older copy is told', atMs - removedMs, takeoverMs)
      await take(other)
      await works(holder, 'again')
    }),
  )

  test(
    'and replaced by a faithful copy costs the holder nothing, and nobody else gets in',
    onStage(async (stage) => {
      const [holder, other] = await stage.three({ options })
      await take(holder)
      await copyAs(stage.file, `${stage.file}.copy`)
      remove(stage.file)
      renameSync(`${stage.file}.copy`, stage.file)
      const failure = await other.failure('take', { as: 'it', thing, options: { wait: `${Math.ceil(takeoverMs)}ms` } })
      expect(failure).toMatchObject({ code: 'WAIT_TIMEOUT' })
      expect(await isHeld(holder)).toBe(true)
      expect((await holder.order('release', { as: 'it' })).value).toBe(true)
      await take(other)
    }),
  )
})

describe.concurrent('a file that cannot be used', () => {
  test(
    'because it is read-only is refused at once, and the holder who may write goes on',
    onStage(async (stage) => {
      const holder = await stage.party({ options })
      await take(holder)
      const reader = await powerless(stage)
      chmodSync(stage.folder, 0o755)
      chmodSync(stage.file, 0o444)
      await isRefused(reader, stage.file, /read-only|not permitted|cannot be opened/)
      await pause(takeoverMs)
      expect(await isHeld(holder)).toBe(true)
      await works(holder, 'beside')
    }),
  )

  test(
    'because its folder is read-only is refused at once, also when there is no file yet',
    onStage(async (stage) => {
      const reader = await powerless(stage)
      chmodSync(stage.folder, 0o755)
      await isRefused(reader, stage.file, /read-only|not permitted|cannot be opened/)
    }),
  )

  test(
    'because it is no database is refused at once and left as it is',
    onStage(async (stage) => {
      const text = 'Dear diary, this is longer than the header of a database. '.repeat(100)
      writeFileSync(stage.file, text)
      await isRefused(await stage.start(), stage.file, /not a SQLite database/)
      expect(readFileSync(stage.file, 'utf8')).toBe(text)
    }),
  )

  test(
    'because it is a folder is refused at once',
    onStage(async (stage) => isRefused(await stage.start(), stage.folder, /folder/)),
  )

  test(
    'because it is the database of something else is refused at once and left as it is',
    onStage(async (stage) => {
      await makeResource(stage.file)
      const before = readFileSync(stage.file)
      await isRefused(await stage.start(), stage.file, /database of something else/)
      expect(readFileSync(stage.file).equals(before)).toBe(true)
    }),
  )

  test.each([1, 3])(
    'because it has layout %i is refused at once by a message with both numbers, and left as it is',
    (layout) =>
      onStage(async (stage) => {
        const first = await stage.party({ options })
        await take(first)
        await first.order('close')
        await execute(stage.file, `update hf_store set layout = ${layout}`)
        await isRefused(await stage.start(), stage.file, new RegExp(`layout ${layout}\\b.*layout 2\\b`))
        await execute(stage.file, 'update hf_store set layout = 2')
        await works(await stage.party({ options }), 'after')
      })(),
  )
})

describe.concurrent('a file from before the machine was started again', () => {
  test(
    'has no live sessions, so nobody waits for them, and its fences rise further',
    onStage(async (stage) => {
      const long = { ...options, ttl: '1m' }
      const before = await stage.party({ options: long })
      const { value: old } = await take(before)
      before.kill()
      await before.ended
      await execute(stage.file, "update hf_store set boot = 'an earlier one'")
      const after = await stage.party({ options: long })
      const { value, beganMs, atMs } = await take(after)
      expectInTime('a lock from before the start is taken', atMs - beganMs, AT_ONCE_MS)
      expect(BigInt(value.fence)).toBeGreaterThan(BigInt(old.fence))
    }),
  )
})

describe.concurrent('a full disk', () => {
  test(
    'is told by a typed error in time, the file stays sound, and takes work again once there is room',
    onStage(async (stage) => {
      const disk = smallDisk(stage, 2_000_000)
      const file = join(disk.folder, 'locks.db')
      const party = await stage.start()
      await party.order('open', { file, options: { ...options, ttl: '5s' }, ready: true })
      await take(party)
      disk.fill()
      const plan = { prefix: 'more', most: 20_000, options: { wait: '2s' } }
      const { value } = await party.order<{ error: object; tookMs: number }>('takeUntilFailure', plan)
      expect(value.error).toMatchObject({
        code: 'BACKEND_REFUSED',
        message: expect.stringContaining('the disk is full'),
      })
      expectInTime('a full disk is told', value.tookMs, AT_ONCE_MS)
      disk.empty()
      await works(party, 'after')
      expect(await isHeld(party)).toBe(true)
      await party.order('confirm', { as: 'it' })
      expect(await soundness(file)).toBe('ok')
    }),
  )
})

describe.concurrent('a process that was stopped inside a write transaction', () => {
  test(
    'makes takes end as unavailable when their wait is over, and once it goes on everything works',
    onStage(async (stage) => {
      const [holder, other] = await stage.three({ options: { ...options, ttl: '5s' } })
      await take(holder)
      const writer = await stopInsideWrite(stage, stage.file)
      for (const party of [holder, other]) {
        const failure = await party.failure('take', {
          as: 'x',
          thing: { kind: 'mutex', name: 'x' },
          options: { wait: '500ms' },
        })
        expect(failure).toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
        const tookMs = failure.atMs - failure.beganMs
        expect(tookMs).toBeGreaterThanOrEqual(490)
        expectInTime('a take on a locked file ends', tookMs, 600)
      }
      expect(await isHeld(holder)).toBe(true)
      writer.goOn()
      await writer.order('endWrite')
      await works(holder, 'after')
      await works(other, 'after')
      expect(await isHeld(holder)).toBe(true)
    }),
  )

  test(
    'for longer than the ttl costs a holder its lease, which it is told at the deadline, and the object works again',
    onStage(async (stage) => {
      const [holder, other] = await stage.three({ options })
      await take(holder)
      const writer = await stopInsideWrite(stage, stage.file)
      const stoppedMs = nowMs()
      const { atMs } = await holder.told('lost', { as: 'it' })
      expectInTime('loss by a locked file is told', atMs - stoppedMs, ttlMs + beatMs)
      writer.goOn()
      await writer.order('endWrite')
      await works(holder, 'after')
      await take(other)
    }),
  )
})
