/**
 * A lock operation as a program would have it: take, work under the lease, give back, each within its time. What the
 * library answers is held against what it may answer.
 */
import type { Lease, MultiLease, PermitLease, PermitOptions } from '../../../holdfast/src/api.ts'
import { Abandoned, requireExpected } from './answers.ts'
import type { Holding } from './beliefs.ts'
import type { Host } from './host.ts'
import { afterTurns } from './kernel.ts'
import type { Abort, LockOperation } from './plan.ts'
import { Section } from './section.ts'
import { claimOf, fenceOf, lockable } from './things.ts'
import type { World } from './world.ts'

type AnyLease = Lease | PermitLease | MultiLease

/** An abort is heard at once. */
const TOLD_MS = 1

export class LockWork {
  readonly #world: World
  readonly #host: Host
  readonly #operation: LockOperation
  readonly #aborter = new AbortController()
  readonly #end: (granted: boolean) => void
  #settled = false

  constructor(world: World, host: Host, operation: LockOperation) {
    this.#world = world
    this.#host = host
    this.#operation = operation
    const settled = world.promises.due(host, operation.waitMs, this.#asksMs(), `the take of op ${operation.id}`)
    const stepOut = world.order.standIn(host, operation)
    const from = world.kernel.events
    this.#end = (granted) => {
      if (this.#settled) return
      this.#settled = true
      settled()
      stepOut(granted)
      world.takes.set(operation.id, { granted, from, to: world.kernel.events })
    }
  }

  async perform(): Promise<void> {
    const { verb, abort, id } = this.#operation
    if (abort !== null) this.#plan(abort)
    try {
      if (verb === 'run' || verb === 'tryRun') await this.#section()
      else await this.#lease()
    } catch (error) {
      requireExpected(this.#world, this.#host, `op ${id}`, error)
    }
  }

  /** Aborts the waiting, if it has not ended. */
  abort(): void {
    if (!this.#settled) this.#expectEnd()
    this.#aborter.abort(new Abandoned())
  }

  /** Settle first, clean up behind: only what has several parts gives some of them back before. */
  #expectEnd(): void {
    this.#world.happened('abort while waiting')
    if (this.#operation.thing.type === 'all') return
    this.#host.actor.clock.aside(TOLD_MS, () => {
      const { name } = this.#host.actor
      if (!this.#settled)
        this.#world.verdicts.wrong('abort', `op ${this.#operation.id} of ${name} waits after its abort`)
    })
  }

  #plan(abort: Abort): void {
    if ('afterMs' in abort) this.#host.actor.clock.aside(abort.afterMs, () => this.abort())
    else if ('inEvent' in abort) this.#world.kernel.interrupt(abort.inEvent, abort.turn, () => this.abort())
    else {
      this.#world.whenGranting(this.#operation.id, () => {
        this.#world.happened('abort within one turn of the grant')
        afterTurns(abort.turns, () => this.abort())
      })
    }
  }

  async #section(): Promise<void> {
    const thing = lockable(this.#host, this.#operation.thing)
    let ended = (): void => {}
    const fn = async (lease: AnyLease): Promise<void> => {
      const holdings = this.#begin(lease)
      try {
        await new Section(this.#world, this.#host, this.#operation).work(holdings, lease)
      } finally {
        ended = this.#over(holdings, 'end')
      }
    }
    try {
      if (this.#operation.verb === 'run') await thing.run(fn, this.#options())
      else if (!(await thing.tryRun(fn, this.#options())).ran) this.#world.happened('busy told')
    } finally {
      ended()
      this.#end(false)
    }
  }

  async #lease(): Promise<void> {
    const thing = lockable(this.#host, this.#operation.thing)
    const { verb, work } = this.#operation
    let lease: AnyLease | null = null
    try {
      lease = await (verb === 'acquire' ? thing.acquire(this.#options()) : thing.tryAcquire(this.#options()))
    } finally {
      if (lease === null) this.#end(false)
    }
    if (lease === null) return this.#world.happened('busy told')
    const holdings = this.#begin(lease)
    await new Section(this.#world, this.#host, this.#operation).work(holdings, lease)
    if (work.release === 'never') return
    if (work.release === 'elsewhere') return this.#releaseElsewhere(holdings, lease.id)
    const released = this.#over(holdings, 'release')
    await lease.release()
    released()
    // Harmless, also for whoever holds it now.
    if (work.releasesTwice && (await lease.release())) {
      this.#world.verdicts.wrong('release', `op ${this.#operation.id} gave back twice what it held once`)
    }
  }

  #over(holdings: readonly Holding[], what: string): () => void {
    for (const holding of holdings) this.#world.beliefs.end(holding)
    return this.#world.promises.due(this.#host, 0, this.#host.callMs, `the ${what} of op ${this.#operation.id}`)
  }

  /** A detached lease is given back by another process, which knows its id only. */
  #releaseElsewhere(holdings: readonly Holding[], id: string): void {
    const host = this.#world.places.find((each) => each?.works && each !== this.#host)
    if (host === null || host === undefined) return
    this.#world.kernel.at(this.#world.kernel.nowMs, host.actor, 'timer', () => {
      for (const holding of holdings) this.#world.beliefs.end(holding)
      // It looks whether the lease is a detached one, and gives it back.
      const done = this.#world.promises.due(host, 0, 2 * host.callMs, `the release of ${id}`)
      lockable(host, this.#operation.thing)
        .release(id)
        .catch((error: unknown) => requireExpected(this.#world, host, `the release of op ${this.#operation.id}`, error))
        .finally(done)
    })
  }

  #begin(lease: AnyLease): Holding[] {
    this.#end(true)
    const { id, thing, detached, maxHoldMs } = this.#operation
    const leases = 'leases' in lease ? lease.leases : [lease]
    return leases.map((each) =>
      this.#world.granted({
        op: id,
        host: this.#host,
        lease: each,
        fence: fenceOf(each),
        slot: 'slot' in each ? (each.slot?.number ?? null) : null,
        detachedMs: detached ? maxHoldMs : null,
        parent: null,
        ...claimOf(thing, each.name),
      }),
    )
  }

  /** A try is one question; several things are asked for one after the other, and given back if one is not to be had. */
  #asksMs(): number {
    const { waitMs, thing } = this.#operation
    const parts = thing.type === 'all' ? thing.names.length + 1 : 1
    return waitMs === 0 || thing.type === 'all' ? (parts + 1) * this.#host.callMs : 0
  }

  #options(): PermitOptions {
    const { id, waitMs, maxHoldMs, fair, detached, abort, thing } = this.#operation
    return {
      label: String(id),
      wait: waitMs === Number.POSITIVE_INFINITY ? 'forever' : waitMs === 0 ? 0 : `${waitMs}ms`,
      ...(maxHoldMs === null ? {} : { maxHold: `${maxHoldMs}ms` }),
      ...(fair ? { fair } : {}),
      ...(detached ? { detached } : {}),
      ...(abort === null ? {} : { signal: this.#aborter.signal }),
      ...(thing.type === 'permit' ? { permits: thing.permits, slot: thing.slot } : {}),
    }
  }
}
