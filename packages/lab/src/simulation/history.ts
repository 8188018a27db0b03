/**
 * Runs one plan to its end: the operations and faults, then calm weather and the demand that everything goes on, then
 * the end of every process and the demand that nothing is left.
 */
import { countReports } from './channels.ts'
import { closeHost } from './closing.ts'
import { schedule } from './faults.ts'
import type { Host } from './host.ts'
import { inOwnTurn } from './kernel.ts'
import type { EventKind } from './observer.ts'
import { perform } from './operations.ts'
import type { Plan } from './plan.ts'
import type { Verdict } from './verdicts.ts'
import { World } from './world.ts'

export interface Outcome {
  readonly seed: number
  readonly hash: string
  readonly verdicts: readonly Verdict[]
  readonly counts: ReadonlyMap<EventKind, number>
  readonly operations: number
  readonly faults: number
  readonly events: number
  readonly virtualMs: number
  readonly lines: readonly string[]
}

/** Everything that waits has been served or has given up this long after nothing goes wrong any more. */
const SETTLED_MS_MAX = 120_000
/** Messages of before that are still under way. */
const AFTERMATH_MS = 6000
const STEP_MS = 250
const CALM = { delayMs: [0.2, 2], slow: 0, slowMs: 0, loss: 0, twice: 0, twiceMs: 0, hintLoss: 0 } as const

/** What a caller does beside the rest. */
export interface Hooks {
  /** Before anything happens. */
  readonly prepare?: (world: World) => void
  /** When everything has settled and nobody has closed. */
  readonly inspect?: (world: World) => void
}

export function runHistory(plan: Plan, keepLines = false, hooks: Hooks = {}): Promise<Outcome> {
  return inOwnTurn(() => {
    const { stackTraceLimit } = Error
    // Outages and timeouts are daily bread here, and nobody reads their stacks.
    if (!keepLines) Error.stackTraceLimit = 0
    try {
      return live(new World(plan, keepLines), hooks)
    } finally {
      Error.stackTraceLimit = stackTraceLimit
    }
  })
}

function live(world: World, hooks: Hooks): Outcome {
  const { plan, kernel, verdicts } = world
  const onRejection = (reason: unknown): void => {
    verdicts.wrong(
      'rejection',
      `nobody handles ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
    )
  }
  process.on('unhandledRejection', onRejection)
  const stopCounting = countReports((kind) => verdicts.happened(kind))
  try {
    hooks.prepare?.(world)
    schedule(world)
    for (const operation of plan.operations) {
      kernel.at(operation.atMs, world.nature, 'timer', () => perform(world, operation))
    }
    kernel.run(plan.healMs)
    heal(world)
    demandProgress(world)
    hooks.inspect?.(world)
    demandNothingLeft(world)
  } catch (error) {
    verdicts.wrong('run', error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    process.off('unhandledRejection', onRejection)
    stopCounting()
  }
  return {
    seed: plan.seed,
    hash: world.trace.hash,
    verdicts: verdicts.list,
    counts: verdicts.counts,
    operations: plan.operations.length,
    faults: plan.faults.length,
    events: kernel.events,
    virtualMs: kernel.nowMs,
    lines: world.trace.lines,
  }
}

function heal(world: World): void {
  world.network.weather = CALM
  world.healed = true
  for (const { deaf } of world.network.wires) {
    deaf.up = Number.NEGATIVE_INFINITY
    deaf.down = Number.NEGATIVE_INFINITY
  }
  for (const resolve of world.letGo) resolve()
  world.letGo.clear()
}

/** Everything settles, and then every name can be had by a newcomer within a ttl, a beat and a little. */
function demandProgress(world: World): void {
  const { kernel, plan, promises, verdicts } = world
  // Whoever still stands still has not even begun what it is to do; neither has the store.
  const actors = [world.server, ...world.hosts.map(({ actor }) => actor)]
  kernel.run(Math.max(kernel.nowMs, ...actors.map(({ blockedUntilMs }) => blockedUntilMs)) + 1)
  const limitMs = kernel.nowMs + SETTLED_MS_MAX
  while (promises.open.length > 0 && kernel.nowMs < limitMs) kernel.run(kernel.nowMs + STEP_MS)
  if (promises.open.length > 0) {
    return verdicts.wrong('progress', `long after the healing these are open: ${promises.open.join(', ')}`)
  }
  for (const [place, host] of world.places.entries()) world.places[place] = host ?? world.start(place)
  const [newcomer] = world.places
  if (newcomer === null || newcomer === undefined) return
  const withinMs = plan.maxTtlMs * 2.5
  const names = new Map<string, (host: Host) => Promise<unknown>>()
  for (const operation of plan.operations) {
    if (operation.kind === 'lock') addTakes(names, operation, withinMs)
    if (operation.kind === 'arrive') addLatch(world, names, operation, withinMs)
  }
  for (const [name, take] of names) {
    kernel.at(kernel.nowMs, newcomer.actor, 'timer', () => void demandTake(world, newcomer, name, take))
  }
  kernel.run(kernel.nowMs + withinMs + STEP_MS)
  for (const host of world.hosts) if (host.works) demandIdle(world, host)
}

/** Everything has ended, so nothing is held, and nobody waits. */
function demandIdle(world: World, host: Host): void {
  const { held, waiting } = host.locks.status()
  if (held + waiting > 0) world.verdicts.wrong('idle', `${host.actor.name} holds ${held} and waits ${waiting} times`)
}

async function demandTake(
  world: World,
  host: Host,
  name: string,
  take: (host: Host) => Promise<unknown>,
): Promise<void> {
  try {
    await take(host)
  } catch (error) {
    world.verdicts.wrong(
      'progress',
      `a newcomer does not get ${name}: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** A latch at which all have arrived is open, unless the store has lost whom it counted. */
function addLatch(
  { era, gatherings }: World,
  names: Map<string, (host: Host) => Promise<unknown>>,
  { name, count }: Extract<Plan['operations'][number], { kind: 'arrive' }>,
  withinMs: number,
): void {
  if (era > 0 || !gatherings.complete(name, count)) return
  names.set(`past latch ${name}`, ({ locks }) => locks.latch(name, count).wait({ wait: `${withinMs}ms` }))
}

function addTakes(
  names: Map<string, (host: Host) => Promise<unknown>>,
  { thing }: Extract<Plan['operations'][number], { kind: 'lock' }>,
  withinMs: number,
): void {
  const wait = `${withinMs}ms` as const
  const pass = async (): Promise<void> => {}
  if (thing.type === 'permit') {
    const { name, capacity } = thing
    names.set(`semaphore ${name} of ${capacity}`, ({ locks }) =>
      locks.semaphore(name, { capacity }).run(pass, { wait, permits: capacity }),
    )
  } else if (thing.type === 'election') {
    names.set(`election ${thing.name}`, ({ locks }) => locks.election(thing.name).run(pass, { wait }))
  } else {
    for (const name of thing.type === 'all' ? thing.names : [thing.name]) {
      names.set(`lock ${name}`, ({ locks }) => locks.mutex(name).run(pass, { wait }))
    }
  }
}

/** After everybody has closed or died, a ttl later and after a sweep, the store has nothing of them. */
function demandNothingLeft(world: World): void {
  const { kernel, plan, verdicts, network } = world
  for (const host of world.hosts) closeHost(world, host, 0)
  kernel.run(kernel.nowMs + AFTERMATH_MS + plan.maxTtlMs * 1.02)
  // A beat sweeps a bounded number of the dead.
  const sweep = { ttlMs: plan.maxTtlMs, after: '', limit: 1 }
  for (let beats = 0; beats < 50; beats++) network.store.beat('nobody', sweep)
  const { sessions, claims, lines } = network.store.census()
  if (sessions + claims + lines > 0) {
    verdicts.wrong('left over', `${sessions} sessions, ${claims} claims and ${lines} lines are left in the store`)
  }
  for (const { actor, closed, wire } of world.hosts) {
    if (actor.dead) continue
    if (!closed) verdicts.wrong('close', `${actor.name} is not closed`)
    if (actor.clock.pending > 0)
      verdicts.wrong('timers', `${actor.name} is closed and has ${actor.clock.pending} timers`)
    if (wire !== null && !wire.closed) verdicts.wrong('close', `${actor.name} is closed and its connection is not`)
  }
}
