/**
 * Leaders that die or stand still: another candidate leads within the documented time, everybody can see who, and a
 * former leader knows at its first question that its term is over, campaigns again and may lead again.
 */
import { describe, expect, test } from 'vitest'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import { reach, until } from './stage/moment.ts'
import type { Party } from './stage/party.ts'
import { onStage, untilWaiting } from './stage/stage.ts'

const { options, ttlMs, beatMs, takeoverMs } = promises(1000)
const name = 'chair'

interface Leader {
  readonly value: string
  readonly pid: number
  readonly fence: string
}

function campaign(party: Party, value: string): void {
  party.order('lead', { as: 'term', name, value }, 60_000).catch(() => {})
}

async function leaderOf(observer: Party): Promise<Leader | null> {
  return (await observer.order<Leader | null>('leader', { name })).value
}

/** The first leads, the second is its successor, the third is behind both. */
async function campaignAll([first, second, third]: readonly [Party, Party, Party]): Promise<void> {
  campaign(first, 'first')
  await first.told('term')
  campaign(second, 'second')
  await untilWaiting(third, second, name)
  campaign(third, 'third')
  await untilWaiting(first, third, name)
}

describe.concurrent('election', () => {
  test(
    'the third candidate leads within ttl and a beat when the leader and its successor are killed',
    onStage(async (stage) => {
      const [first, second, third] = await stage.three({ options })
      await campaignAll([first, second, third])
      expect(await leaderOf(third)).toMatchObject({ value: 'first', pid: first.pid })
      second.kill()
      const killedMs = first.kill()
      const { atMs, fence } = await third.told('term')
      expectInTime('the next term after a kill', atMs - killedMs, takeoverMs)
      expect(await leaderOf(third)).toEqual({ value: 'third', pid: third.pid, fence, host: expect.any(String) })
    }),
  )

  test(
    'a leader that stood still knows at its first question that it leads no more, and leads again when its turn comes',
    onStage(async (stage) => {
      const [first, second, third] = await stage.three({ options })
      await campaignAll([first, second, third])
      await stage.stop(second)
      const stoppedMs = await stage.stop(first)
      const { atMs } = await third.told('term')
      expectInTime('the next term after a stop', atMs - stoppedMs, takeoverMs)
      await reach(stoppedMs + ttlMs)
      const asked = first.order('question', { as: 'term' })
      first.goOn()
      expect((await asked).value).toMatchObject({ held: false, reason: 'stalled' })
      await untilWaiting(third, first, name)
      await third.order('leave', { name })
      const again = await until('a second term', () => first.sayings.filter(({ event }) => event === 'term')[1] ?? null)
      expect(again.atMs).toBeGreaterThan(atMs)
      expect(await leaderOf(third)).toMatchObject({ value: 'first', pid: first.pid, fence: again.fence })
    }),
  )

  test(
    'there is no leader once the only candidate was killed and a ttl and a beat have passed',
    onStage(async (stage) => {
      const [first, observer] = await stage.three({ options })
      campaign(first, 'first')
      await first.told('term')
      const killedMs = first.kill()
      const nobody = await until('nobody leads', async () => {
        const asked = await observer.order<Leader | null>('leader', { name })
        return asked.value === null ? asked : null
      })
      expectInTime('nobody leads', nobody.beganMs - killedMs, takeoverMs)
      expect(nobody.beganMs - killedMs).toBeGreaterThan(beatMs)
    }),
  )
})
