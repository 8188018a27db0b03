/**
 * What is done under a lease: looking at it while working, confirming it, taking the same lock again inside, becoming a
 * reader, overrunning and hanging.
 */
import type { Lease, MultiLease, PermitLease, WriteLease } from '../../../holdfast/src/api.ts'
import { requireExpected } from './answers.ts'
import type { Holding } from './beliefs.ts'
import type { Host } from './host.ts'
import type { LockOperation } from './plan.ts'
import { claimOf, fenceOf, lockable } from './things.ts'
import type { World } from './world.ts'

type AnyLease = Lease | PermitLease | MultiLease

const CHILD_WAIT_MS = 400
const CHILD_WORK_MS = 3

export class Section {
  readonly #world: World
  readonly #host: Host
  readonly #operation: LockOperation

  constructor(world: World, host: Host, operation: LockOperation) {
    this.#world = world
    this.#host = host
    this.#operation = operation
  }

  async work(holdings: readonly Holding[], lease: AnyLease): Promise<void> {
    const { work, verb, thing } = this.#operation
    const [first] = holdings
    if (work.confirms) await this.#confirm(lease)
    if (work.heeds) for (const holding of holdings) holding.heed()
    const nests = thing.type === 'mutex' || thing.type === 'reentrant' || thing.type === 'read'
    if (nests && first !== undefined && verb === 'run') await this.#nest(first)
    if (nests && first !== undefined && verb === 'acquire') await this.#nestByHand(first)
    if (work.downgrades && thing.type === 'write' && first !== undefined) {
      return this.#downgrade(first, lease as WriteLease)
    }
    await this.#act(holdings)
    if (work.hangs && !this.#world.healed) await new Promise<void>((resolve) => this.#world.letGo.add(resolve))
    for (const holding of holdings) this.#world.beliefs.look(holding)
  }

  async #act(holdings: readonly Holding[]): Promise<void> {
    const { ms, acts, overruns } = this.#operation.work
    for (let act = 0; act < acts; act++) {
      await this.#host.sleep(ms / acts)
      const held = holdings.map((holding) => this.#world.beliefs.look(holding)).every(Boolean)
      if (!held && !overruns) return
      if (!held) this.#world.happened('overrun')
    }
  }

  async #confirm(lease: AnyLease): Promise<void> {
    const parts = 'leases' in lease ? lease.leases.length : 1
    const { id } = this.#operation
    const done = this.#world.promises.due(this.#host, 0, this.#host.callMs * 2 * parts, `the confirmation of op ${id}`)
    try {
      await lease.confirm()
    } catch (error) {
      requireExpected(this.#world, this.#host, `the confirmation of op ${id}`, error)
    }
    done()
  }

  /** Takes of the same name inside: of relatives, of a stray that nobody waits for, and of one that steps outside. */
  async #nest(parent: Holding): Promise<void> {
    const { children, strays } = this.#operation.work
    for (let stray = 0; stray < strays; stray++) void this.#inner(null)
    if (strays > 0) void this.#host.locks.outside(() => this.#inner(null))
    if (children > 0) await Promise.all(Array.from({ length: children }, () => this.#inner(parent)))
  }

  /** A lease that was acquired is no call chain: whoever nests in it names it. */
  async #nestByHand(parent: Holding): Promise<void> {
    const { children } = this.#operation.work
    const within = parent.lease as Lease
    await Promise.all(Array.from({ length: children }, () => this.#inner(parent, { within })))
  }

  async #inner(parent: Holding | null, more: { readonly within?: Lease } = {}): Promise<void> {
    const { id, thing } = this.#operation
    const settled = this.#world.promises.due(this.#host, CHILD_WAIT_MS, 0, `a take inside op ${id}`)
    try {
      await lockable(this.#host, thing).run(
        async (lease) => {
          settled()
          await this.#child(lease as Lease, parent)
        },
        { wait: `${CHILD_WAIT_MS}ms`, label: String(id), ...more },
      )
    } catch (error) {
      requireExpected(this.#world, this.#host, `a take inside op ${id}`, error)
    } finally {
      settled()
    }
  }

  async #child(lease: Lease, parent: Holding | null): Promise<void> {
    const { id, thing } = this.#operation
    const holding = this.#world.granted({
      op: id,
      host: this.#host,
      lease,
      fence: fenceOf(lease),
      slot: null,
      detachedMs: null,
      // Once the parent has ended its children are strangers, with a claim of their own.
      parent: this.#parentOf(lease, parent),
      ...claimOf(thing, lease.name),
    })
    await this.#host.sleep(CHILD_WORK_MS)
    this.#world.beliefs.look(holding)
    this.#world.beliefs.end(holding)
  }

  #parentOf(lease: Lease, parent: Holding | null): Holding | null {
    if (parent !== null && !parent.over && parent.lease.id === lease.id) return parent
    for (const holding of this.#host.holdings) if (!holding.over && holding.lease.id === lease.id) return holding
    return null
  }

  async #downgrade(writer: Holding, lease: WriteLease): Promise<void> {
    const { id, work } = this.#operation
    await this.#host.sleep(work.ms / 2)
    if (!this.#world.beliefs.look(writer)) return
    this.#world.beliefs.end(writer)
    const done = this.#world.promises.due(this.#host, 0, this.#host.callMs * 1.5, `the downgrade of op ${id}`)
    try {
      const reader = await lease.downgrade().finally(done)
      this.#world.happened('downgrade')
      const holding = this.#world.granted({
        ...writer,
        lease: reader,
        fence: reader.fence,
        ...claimOf({ type: 'read', name: lease.name }, lease.name),
      })
      await this.#act([holding])
      this.#world.beliefs.end(holding)
      await reader.release()
    } catch (error) {
      requireExpected(this.#world, this.#host, `the downgrade of op ${id}`, error)
    }
  }
}
