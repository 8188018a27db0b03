/**
 * Each kind of lock with parties that are stopped for longer than the ttl: one in its section and one that waits. The
 * third goes on within the documented time; when they run again, the first knows at its first question that it holds
 * nothing, and the second stands in line anew and is served.
 */
import { describe, expect, test } from 'vitest'
import { type Contest, contests, lineUp } from './stage/contest.ts'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import { reach } from './stage/moment.ts'
import { onStage, type Stage } from './stage/stage.ts'

const { options, ttlMs, beatMs, takeoverMs } = promises(1000)

describe.concurrent('the third is served within ttl and a beat when the first stands still inside and the second in line:', () => {
  for (const contest of contests)
    test(
      contest.title,
      onStage((stage) => overtake(stage, contest)),
    )
})

interface Belief {
  readonly held: boolean
  readonly aborted: boolean
  readonly reason: string | null
}

async function overtake(stage: Stage, contest: Contest): Promise<void> {
  const [first, second, third] = await stage.three({ options })
  const lined = await lineUp(contest, first, second, third)
  await stage.stop(second)
  const stoppedMs = await stage.stop(first)
  const { value, atMs } = await lined.third
  expectInTime('takeover from a stopped holder past a stopped waiter', atMs - stoppedMs, takeoverMs)
  contest.check?.(value, lined.inside)

  // Readers share: the third may have been served before the first was dead.
  await reach(stoppedMs + ttlMs)
  const asked = first.order<Belief>('question', { as: 'it' })
  first.goOn()
  expect((await asked).value).toMatchObject({ held: false, aborted: true, reason: 'stalled' })
  expect((await first.order('release', { as: 'it' })).value).toBe(false)

  second.goOn()
  const { value: held } = await third.order('question', { as: 'it' })
  expect(held).toMatchObject({ held: true })
  const { beganMs: releasedMs } = await third.order('release', { as: 'it' })
  const { atMs: servedMs } = await lined.next
  expect(servedMs).toBeGreaterThan(releasedMs)
  expectInTime('a waiter that stood still is served', servedMs - releasedMs, beatMs)
}
