/**
 * One history as it runs: the kernel, the network, the hosts that stand in the places of the plan, and those who judge.
 */
import type { HoldfastOptions } from '../../../holdfast/src/api.ts'
import type { EnterAnswer } from '../../../holdfast/src/port.ts'
import { Actor } from './actor.ts'
import { Beliefs, type Ground, type Holding } from './beliefs.ts'
import { Dice } from './dice.ts'
import { Fences } from './fences.ts'
import { Gatherings } from './gatherings.ts'
import { Host } from './host.ts'
import { Kernel } from './kernel.ts'
import { Neighbours } from './neighbours.ts'
import { Network, type Wire } from './network.ts'
import type { EnterRequest, EventKind, Observer } from './observer.ts'
import { Order } from './order.ts'
import type { Plan, ProcessPlan } from './plan.ts'
import { Promises } from './promises.ts'
import { Trace } from './trace.ts'
import { Verdicts } from './verdicts.ts'

/** In January 2027: numbers made from it are as long as real ones. */
const WALL_MS = 1_800_000_000_000
const GRAIN_MS = 1.2

export class World implements Observer, Ground {
  readonly plan: Plan
  readonly kernel: Kernel
  readonly trace: Trace
  readonly verdicts: Verdicts
  readonly network: Network
  /** On whose time faults happen; it never stands still. */
  readonly nature: Actor
  readonly server: Actor
  readonly beliefs: Beliefs
  readonly fences: Fences
  readonly promises: Promises
  readonly order: Order
  readonly gatherings: Gatherings
  readonly #neighbours: Neighbours
  /** By place; null while nobody stands there. */
  readonly places: (Host | null)[]
  readonly hosts: Host[] = []
  /** How the takes ended, and in which events of the kernel they began and ended. */
  readonly takes: Map<number, { readonly granted: boolean; readonly from: number; readonly to: number }> = new Map()
  /** The grants, in the order in which they were handed out. */
  readonly served: { readonly operation: number; readonly atMs: number }[] = []
  /** Ends the waiting of everything that hangs. */
  readonly letGo: Set<() => void> = new Set()
  healed = false
  readonly #dice: Dice
  readonly #evicted = new Map<string, number>()
  readonly #claims = new Map<string, { era: number; operation: number }>()
  readonly #heldBack = new Set<number>()
  readonly #whenGranting = new Map<number, () => void>()
  #era = 0
  #unmet = false
  #made = 0

  constructor(plan: Plan, keepLines: boolean) {
    this.plan = plan
    this.#dice = new Dice(plan.seed, 2)
    this.trace = new Trace(keepLines)
    this.kernel = new Kernel(this.#dice.fork(1), this.trace)
    const nowMs = (): number => this.kernel.nowMs
    this.verdicts = new Verdicts(nowMs)
    this.nature = this.#actor('nature', 1, false)
    this.server = this.#actor('store', plan.serverRate, false)
    this.network = new Network(this.kernel, this.server, this, plan.ordered, plan.weather)
    this.beliefs = new Beliefs(this.verdicts, this, nowMs)
    this.fences = new Fences(this.verdicts, this)
    this.promises = new Promises(this.verdicts)
    this.order = new Order(this.verdicts, plan, () => this.kernel.events)
    this.gatherings = new Gatherings(this.verdicts)
    this.#neighbours = new Neighbours(this.verdicts, plan)
    this.places = plan.processes.map((_, place) => this.start(place))
  }

  /** A fresh process in this place. */
  start(place: number): Host {
    const process = this.plan.processes[place]
    if (process === undefined) throw new RangeError(`no process ${place}`)
    const actor = this.#actor(`p${place}.${this.hosts.length}`, process.rate, true)
    const host = new Host({
      actor,
      network: this.network,
      dice: this.#dice.fork(actor.number),
      options: optionsOf(this.plan, process),
      ttlMs: process.ttlMs,
      parks: process.parks,
    })
    actor.onWake = () => this.#woke(host)
    this.hosts.push(host)
    return host
  }

  /** A lease was handed out: it is believed in from now on. */
  granted(holding: Parameters<Beliefs['begin']>[0]): Holding {
    const began = this.beliefs.begin(holding)
    this.served.push({ operation: began.op, atMs: this.kernel.nowMs })
    if (began.over || began.lease.isHeld()) this.fences.granted(began)
    const local = began.lease.id.includes('/')
    this.happened(began.parent !== null ? 'nested grant' : local ? 'hand-over' : 'remote grant')
    if (this.#shares(began)) this.happened('shared claim')
    if (this.plan.calm) this.#neighbours.granted(began.claimId, this.kernel.nowMs)
    const { op, resource, lease, fence } = began
    this.note(began.host, () => `op ${op} granted ${resource} ${lease.id.slice(17)} fence ${fence}`)
    return began
  }

  #shares({ host, claimId, parent, exclusive }: Holding): boolean {
    if (parent !== null || exclusive) return false
    let sharing = 0
    for (const other of host.holdings) if (other.claimId === claimId) sharing++
    return sharing > 1
  }

  note(host: Host, what: () => string): void {
    this.trace.note(this.kernel.nowMs, host.actor.number, 0, () => `${host.actor.name.padEnd(8)} ${what()}`)
  }

  happened(kind: EventKind): void {
    this.verdicts.happened(kind)
  }

  entered({ draft, terms, isDuplicate }: EnterRequest, answer: EnterAnswer): void {
    if (answer.state !== 'open' && answer.state !== 'closed') return
    // Its client had no answer when it was ended by force, asked for it once more, and has it by right. One that holds it
    // already did not ask, nor does what the network has carried twice: the answer of before may still come.
    if (!isDuplicate && !this.hosts.some(({ holdings }) => [...holdings].some(({ claimId }) => claimId === draft.id))) {
      this.#evicted.delete(draft.id)
    }
    if (this.#claims.has(draft.id)) return
    const lateMs = answer.serverMs - terms.notAfterMs
    if (lateMs > 0) this.verdicts.wrong('too late', `${draft.id} was entered ${lateMs.toFixed(1)} ms too late`)
    this.#claims.set(draft.id, { era: this.#era, operation: Number(draft.label) })
    // A part of several things is held from the moment in which the last of them is.
    const operation = this.plan.operations.find(({ id }) => id === Number(draft.label))
    const isPart = operation?.kind === 'lock' && operation.thing.type === 'all'
    if (!this.plan.calm || isPart) return
    const line = this.network.store.inspect(draft.line)?.claims ?? []
    const ahead = line.findIndex(({ id }) => id === draft.id)
    this.#neighbours.entered(draft.id, this.kernel.nowMs, ahead)
  }

  evicted(claimIds: readonly string[]): void {
    for (const id of claimIds) if (!this.#evicted.has(id)) this.#evicted.set(id, this.kernel.nowMs)
  }

  opened(seenBefore: boolean): void {
    if (this.#unmet && this.plan.quarantine && seenBefore) this.#heldBack.add(this.#era)
    this.#unmet = false
  }

  granting(_wire: Wire, claimId: string): void {
    const operation = this.#claims.get(claimId)?.operation
    if (operation === undefined) return
    const call = this.#whenGranting.get(operation)
    this.#whenGranting.delete(operation)
    call?.()
  }

  /** Called once, when an answer that grants the operation's claim is handed to its client. */
  whenGranting(operation: number, call: () => void): void {
    this.#whenGranting.set(operation, call)
  }

  /** How often the store has lost its data. */
  get era(): number {
    return this.#era
  }

  loseData(): void {
    this.network.store.lose()
    this.#era++
    this.#unmet = true
    this.happened('loss of data')
  }

  evictedMs(claimId: string): number | undefined {
    return this.#evicted.get(claimId)
  }
  eraOf(claimId: string): number {
    return this.#claims.get(claimId)?.era ?? this.#era
  }
  heldBack(era: number): boolean {
    return this.#heldBack.has(era)
  }

  /** The first thing a process does after it stood still is to look at its leases. */
  #woke(host: Host): void {
    for (const holding of [...host.holdings]) this.beliefs.look(holding)
  }

  #actor(name: string, rate: number, runsCode: boolean): Actor {
    return new Actor(this.kernel, {
      number: this.#made++,
      name,
      rate,
      monotonicMs: this.#dice.between(1e4, 1e7),
      wallMs: WALL_MS + this.#dice.between(-2000, 2000),
      bootMs: this.#dice.between(1e5, 1e8),
      grainMs: GRAIN_MS,
      runsCode,
    })
  }
}

function optionsOf(plan: Plan, { ttlMs, front }: ProcessPlan): HoldfastOptions {
  return {
    namespace: 'simulation',
    ttl: `${ttlMs}ms`,
    maxTtl: `${plan.maxTtlMs}ms`,
    quarantine: plan.quarantine,
    heartbeat: 'main',
    front:
      front === false ? false : { passes: front.passes, slice: `${front.sliceMs}ms`, linger: `${front.lingerMs}ms` },
  }
}
