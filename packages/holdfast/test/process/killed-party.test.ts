/**
 * Each kind of lock with parties that die by SIGKILL: one in its section and one that waits. The third goes on within
 * the documented time, what the dead held comes back, and whoever is dead blocks nobody.
 */
import { describe, expect, test } from 'vitest'
import { type Contest, contests, lineUp } from './stage/contest.ts'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import { onStage, type Stage } from './stage/stage.ts'

const { options, takeoverMs } = promises(1000)

describe.concurrent('the third is served within ttl and a beat when the first dies inside and the second in line:', () => {
  for (const contest of contests)
    test(
      contest.title,
      onStage((stage) => outlive(stage, contest)),
    )
})

async function outlive(stage: Stage, contest: Contest): Promise<void> {
  const [first, second, third] = await stage.three({ options })
  const lined = await lineUp(contest, first, second, third)
  second.kill()
  const killedMs = first.kill()
  const { value, atMs } = await lined.third
  expect(atMs).toBeGreaterThan(killedMs)
  expectInTime('takeover past a dead waiter', atMs - killedMs, takeoverMs)
  contest.check?.(value, lined.inside)
}
