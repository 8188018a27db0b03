/**
 * `npm run sim`: simulated histories by the hundred thousand, each from a seed and each run twice; then every point at
 * which a take can be aborted.
 *
 *   --short         5,000 histories, as in CI
 *   --seeds N       that many; --from N begins there
 *   --workers N     threads (default: one a core, at most 2)
 *   --seed N        one history, with its timeline; --calm in calm weather; --all with every line
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { type AbortSums, noAborts } from './simulation/aborts.ts'
import { eventLines, planLines, timelineLines, verdictLines } from './simulation/account.ts'
import { isHand, muster, type Stretch, serve } from './simulation/crew.ts'
import { planOf } from './simulation/generator.ts'
import { runHistory } from './simulation/history.ts'
import { shrink } from './simulation/shrink.ts'
import { addSums, missingKinds, noSums, type Sums, tableOf } from './simulation/tally.ts'
import type { Failure } from './simulation/trial.ts'

const LONG = { seeds: 100_000, aborts: 1000 }
const SHORT = { seeds: 5000, aborts: 20 }
const PROGRESS_MS = 10_000
/** After so many failing seeds there is nothing to be learned from more. */
const FAILURES_MAX = 20
const EXPLAINED_MAX = 3

const say = (text: string): void => void process.stdout.write(`${text}\n`)
// A pager that has seen enough.
process.stdout.on('error', () => process.exit())

function settings(): { seeds: number; from: number; workers: number; aborts: number; one: number | null } {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      calm: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      seeds: { type: 'string' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      workers: { type: 'string' },
      aborts: { type: 'string' },
    },
  })
  const usual = values.short ? SHORT : LONG
  const number = (name: string, text: string): number => {
    const value = Number(text)
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`--${name} must be a whole number, not ${text}`)
    return value
  }
  return {
    seeds: number('seeds', values.seeds ?? String(usual.seeds)),
    from: number('from', values.from),
    workers: Math.max(1, number('workers', values.workers ?? String(Math.min(2, availableParallelism())))),
    aborts: number('aborts', values.aborts ?? String(usual.aborts)),
    one: values.seed === undefined ? null : number('seed', values.seed),
  }
}

/** Tells one history in full. */
async function show(seed: number, calm: boolean, all: boolean): Promise<boolean> {
  const plan = planOf(seed, calm)
  const outcome = await runHistory(plan, true)
  say(`seed ${seed}${calm ? ' in calm weather' : ''}: ${outcome.events} events, trace ${outcome.hash}`)
  for (const line of [...planLines(plan), ...eventLines(outcome.counts)]) say(line)
  for (const line of timelineLines(outcome, all)) say(line)
  for (const line of verdictLines(outcome.verdicts)) say(line)
  say(outcome.verdicts.length === 0 ? 'nothing is wrong' : `${outcome.verdicts.length} wrong`)
  return outcome.verdicts.length === 0
}

/** What is known of a failing seed, and how it fails when it is made smaller. */
async function explain({ seed, calm, verdicts }: Failure): Promise<void> {
  say(`\nseed ${seed}${calm ? ' in calm weather' : ''} fails:`)
  for (const line of verdictLines(verdicts)) say(line)
  const [first] = verdicts
  if (first === undefined) return
  const plan = await shrink(planOf(seed, calm), first.rule)
  const outcome = await runHistory(plan, true)
  say(`made smaller, to ${plan.faults.length} faults and ${plan.operations.length} operations:`)
  for (const line of [...planLines(plan), ...eventLines(outcome.counts)]) say(line)
  for (const line of [...timelineLines(outcome, false), ...verdictLines(outcome.verdicts)]) say(line)
  say(`again: npm run sim -- --seed ${seed}${calm ? ' --calm' : ''}`)
}

/** Of all threads, so that it says the same on a busy machine. */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function summary(sums: Sums, startedMs: number, workers: number): void {
  const seconds = (performance.now() - startedMs) / 1000
  const each = (value: number): string => (value / Math.max(1, sums.histories)).toFixed(0)
  say(`\n${sums.histories} histories, each twice, in ${seconds.toFixed(1)} s on ${workers} threads`)
  say(
    `  each: ${each(sums.operations)} operations, ${(sums.faults / Math.max(1, sums.histories)).toFixed(1)} faults, ` +
      `${each(sums.events)} events, ${each(sums.virtualMs)} ms of virtual time; ` +
      `${(processorMs() / Math.max(1, sums.histories)).toFixed(1)} ms of processor time for all of its runs`,
  )
  say(tableOf(sums))
}

/** The histories first: they say most. */
function stretchesOf(from: number, seeds: number, aborts: number): Stretch[] {
  const cut = (what: Stretch['what'], all: number, each: number): Stretch[] =>
    Array.from({ length: Math.ceil(all / each) }, (_, index) => {
      return { what, from: from + index * each, count: Math.min(each, all - index * each) }
    })
  return [...cut('histories', seeds, 25), ...cut('aborts', aborts, 2)]
}

async function everything(): Promise<boolean> {
  const { seeds, from, workers, aborts } = settings()
  const startedMs = performance.now()
  let saidMs = startedMs
  const failures: Failure[] = []
  const sums = noSums()
  const aborted = noAborts()
  await muster(new URL(import.meta.url), workers, stretchesOf(from, seeds, aborts), (found) => {
    addSums(sums, found.sums)
    failures.push(...found.failures)
    for (const failure of found.failures) say(told(failure))
    aborted.takes += found.aborts.takes
    aborted.points += found.aborts.points
    aborted.failures.push(...found.aborts.failures)
    if (performance.now() - saidMs > PROGRESS_MS) {
      saidMs = performance.now()
      say(`${sums.histories} of ${seeds} histories, ${aborted.takes} of ${aborts} takes, ${failures.length} failures`)
    }
    return failures.length + aborted.failures.length < FAILURES_MAX ? 'go on' : 'stop'
  })
  for (const failure of failures.slice(0, EXPLAINED_MAX)) await explain(failure)
  summary(sums, startedMs, workers)
  return conclude(sums, failures, aborted)
}

function told({ seed, calm, verdicts: [first] }: Failure): string {
  return `seed ${seed}${calm ? ' --calm' : ''}: ${first?.rule}: ${first?.what}`
}

function conclude(sums: Sums, failures: readonly Failure[], aborted: AbortSums): boolean {
  say(`\n${aborted.takes} takes aborted at each of their points, ${aborted.points} in all`)
  const missing = sums.histories < 1000 ? [] : missingKinds(sums)
  const lines = [
    ...failures.map(told),
    ...missing.map((kind) => `"${kind}" happens in fewer than 1 % of the histories`),
    ...aborted.failures,
  ]
  for (const line of lines.slice(0, 3 * FAILURES_MAX)) say(`FAILED ${line}`)
  say(lines.length === 0 ? 'nothing is wrong' : `${lines.length} failures`)
  return lines.length === 0
}

if (isHand) serve()
else {
  const { one } = settings()
  const good =
    one === null ? await everything() : await show(one, process.argv.includes('--calm'), process.argv.includes('--all'))
  process.exitCode = good ? 0 : 1
}
