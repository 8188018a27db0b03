/** A lock released by force from another process: its holder is told, the next one is served, and a late write is refused. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import type { Answer, Party } from './stage/party.ts'
import { onStage, untilWaiting } from './stage/stage.ts'
import { makeResource, readResource } from './stage/store-file.ts'

const { options, beatMs } = promises(2000)
const name = 'vault'
const thing = { kind: 'mutex', name }

const take = (party: Party): Promise<Answer<unknown>> =>
  party.order('take', { as: 'it', thing, options: { wait: '20s' } })

describe.concurrent('forceRelease', () => {
  test.each(['worker', 'main'])(
    'tells the holder within a beat that its lease was revoked, and serves the next one, with the heartbeat in %s',
    (heartbeat) =>
      onStage(async (stage) => {
        const [holder, waiter, operator] = await stage.three({ options: { ...options, heartbeat } })
        await take(holder)
        const served = take(waiter)
        await untilWaiting(operator, waiter, name)
        const { value: ended, beganMs, atMs: forcedMs } = await operator.order<number>('forceRelease', { name })
        expect(ended).toBe(1)
        expectInTime('the next one is served after a forced release', (await served).atMs - beganMs, beatMs)
        const { atMs, reason } = await holder.told('lost', { as: 'it' })
        expect(reason).toBe('revoked')
        expectInTime('a forced release is told', atMs - forcedMs, beatMs)
        expect((await waiter.order('question', { as: 'it' })).value).toMatchObject({ held: true })
        expect((await holder.order('release', { as: 'it' })).value).toBe(false)
      })(),
  )

  test(
    'leaves a write of the former holder to the resource, which refuses it once the next one has written',
    onStage(async (stage) => {
      const resource = join(stage.folder, 'resource.db')
      await makeResource(resource)
      const write = (party: Party, value: string): Promise<Answer<boolean>> =>
        party.order('write', { as: 'it', file: resource, value })
      const [holder, waiter, operator] = await stage.three({ options })
      await take(holder)
      expect((await write(holder, 'holder')).value).toBe(true)
      const served = take(waiter)
      await untilWaiting(operator, waiter, name)
      await operator.order('forceRelease', { name })
      await served
      expect((await write(waiter, 'waiter')).value).toBe(true)
      expect((await write(holder, 'late')).value).toBe(false)
      expect(await readResource(resource)).toBe('waiter')
    }),
  )
})
