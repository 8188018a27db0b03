/**
 * The order in which takes are served. A fence begins with the number that its claim was given on entering the line,
 * so grants in the order of entry are grants with rising numbers; without `fair` a process keeps its own order.
 */
import { expect, test } from 'vitest'
import { until } from './stage/moment.ts'
import type { Party } from './stage/party.ts'
import { type LineOfParties, onStage } from './stage/stage.ts'

const COUNT_BITS = 10n
const wait = 60_000
interface Turn {
  readonly number: number
  readonly calledMs: number
  readonly grantedMs: number
  readonly fence: string
}

const fair = { kind: 'fair', name: 'queue' }

async function untilWaiters(observer: Party, count: number): Promise<void> {
  await until(`${count} in line`, async () => {
    const { value } = await observer.order<LineOfParties[]>('lines')
    return value.some(({ waiters }) => waiters.length === count)
  })
}

const seqOf = ({ fence }: Turn): bigint => BigInt(fence) >> COUNT_BITS
const passesOf = ({ fence }: Turn): bigint => BigInt(fence) & ((1n << COUNT_BITS) - 1n)

/** Neighbours of which the later one comes first by `by`. */
function inversions(turns: readonly Turn[], by: (turn: Turn) => bigint | number): number {
  return turns.filter((turn, index) => {
    const before = turns[index - 1]
    return before !== undefined && by(before) >= by(turn)
  }).length
}

const byGrant = (turns: readonly Turn[]): Turn[] => [...turns].sort((a, b) => a.grantedMs - b.grantedMs)

test(
  'fair takes of four processes that are known to stand in line one after another are served one after another',
  onStage(async (stage) => {
    const parties = await stage.parties(4)
    const [holder, ...others] = parties as [Party, ...Party[]]
    await holder.order('take', { as: 'first', thing: fair })
    const order = Array.from({ length: 12 }, (_, index) => ({ party: others[index % 3] as Party, as: `take ${index}` }))
    order.sort(() => Math.random() - 0.5)
    const served: string[] = []
    const takes: Promise<void>[] = []
    for (const [index, { party, as }] of order.entries()) {
      const taken = party.order('take', { as, thing: fair, options: { wait: '30s' } }, wait)
      takes.push(
        taken.then(async () => {
          served.push(as)
          await party.order('release', { as })
        }),
      )
      await untilWaiters(holder, index + 1)
    }
    await holder.order('release', { as: 'first' })
    await Promise.all(takes)
    expect(served).toEqual(order.map(({ as }) => as))
  }),
)

test(
  'fair takes of four processes are served in the order in which they entered the line, without exception',
  onStage(async (stage) => {
    const parties = await stage.parties(4)
    const plan = { thing: fair, tasks: 15, rounds: 4, holdMs: 1, gapMs: 30 }
    const answers = await Promise.all(parties.map((party) => party.order<Turn[]>('stand', plan, wait)))
    const turns = byGrant(answers.flatMap(({ value }) => value))
    expect(turns).toHaveLength(240)
    expect(inversions(turns, seqOf)).toBe(0)
    expect(turns.filter((turn) => passesOf(turn) !== 0n)).toEqual([])
  }),
)

test(
  'takes of one process are served in the order in which they were called, while another process competes',
  onStage(async (stage) => {
    const parties = await stage.parties(2)
    const plan = { thing: { kind: 'mutex', name: 'queue' }, tasks: 50, rounds: 3, holdMs: 1, gapMs: 0 }
    const answers = await Promise.all(parties.map((party) => party.order<Turn[]>('stand', plan, wait)))
    for (const { value } of answers) {
      expect(value).toHaveLength(150)
      expect(inversions(byGrant(value), ({ number }) => number)).toBe(0)
    }
    // Both had their turns in between, and fences rise over all of them.
    const turns = byGrant(answers.flatMap(({ value }) => value))
    expect(inversions(turns, ({ fence }) => BigInt(fence))).toBe(0)
    expect(new Set(turns.map(passesOf)).size).toBeGreaterThan(1)
  }),
)
