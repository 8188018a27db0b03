/**
 * Every take of one Holdfast object passes here: it finds its front or the lease that it is nested in, gets its
 * deadline and its signal, and is settled by whichever comes first. Also the list of all that is held and waits.
 */
import type { Timer } from '../clock.ts'
import { ClosedError, DeadlockError, NotHeldError } from '../errors.ts'
import { emit, wanted } from '../events.ts'
import type { Keeper } from '../keeper/keeper.ts'
import { partsOf } from '../names.ts'
import { Turn } from '../turn.ts'
import { heldInChain } from './chain.ts'
import { Deadlines } from './deadlines.ts'
import { Front, type FrontHome } from './front.ts'
import type { Grant } from './grant.ts'
import { Nest } from './nest.ts'
import { Signals } from './signals.ts'
import { type Settled, type TakeTerms, Task, type TaskOwner, type Told, type Wish } from './task.ts'
import { LeakWatch } from './watch.ts'

export class Takes implements FrontHome, TaskOwner {
  readonly keeper: Keeper
  /** How many grants there are, and how many of them `close` leaves alone. */
  held = 0
  #detached = 0
  readonly leaks: LeakWatch
  readonly #deadlines: Deadlines
  readonly #signals = new Signals((task, reason) => this.#aborted(task, reason))
  readonly #fronts = new Map<string, Front>()
  /** Grants that were reported as held for long, with the age of the next report. */
  readonly #warned = new Map<Grant, number>()
  #warner: Timer | null = null
  #closed = false
  readonly #turn: Turn
  #drained: (() => void) | null = null

  constructor(keeper: Keeper) {
    this.keeper = keeper
    this.leaks = new LeakWatch(keeper.clock)
    this.#turn = new Turn(keeper.clock)
    this.#deadlines = new Deadlines(keeper.clock, (task) => this.#overdue(task))
  }

  get waiting(): number {
    return this.#deadlines.size
  }

  /**
   * Tells what became of it, once.
   *
   * @throws {DeadlockError} the call chain's own holds make it impossible @throws {ClosedError}
   */
  take(terms: TakeTerms, told: Told): void {
    if (this.#closed) throw new ClosedError('the Holdfast object is closed')
    const { line } = terms
    const parent = terms.within ?? this.#parentOf(line, terms)
    const { keeper } = this
    const sinceMs = keeper.clock.monotonicMs()
    if (terms.signal?.aborted) return told({ kind: 'failed', error: terms.signal.reason, outcome: 'aborted' }, sinceMs)
    keeper.vigil.begin()
    const task = new Task(terms, sinceMs, told, this)
    // A try waits for nobody, but its question has a time limit too.
    this.#deadlines.add(task, terms.waitMs === 0 ? keeper.tryMs : terms.waitMs)
    try {
      if (terms.signal !== undefined) this.#signals.add(task, terms.signal)
    } catch (error) {
      task.settle({ kind: 'failed', error, outcome: 'refused' })
    }
    if (!task.settled) this.#place(task, line, terms.waitMs === 0, parent)
  }

  settled(task: Task, settled: Settled): void {
    this.keeper.vigil.end()
    this.#deadlines.remove(task)
    if (task.terms.signal !== undefined) this.#signals.remove(task, task.terms.signal)
    if (wanted('holdfast:take')) this.#report(task, settled)
    task.told(settled, task.sinceMs)
  }

  front(line: string): Front {
    const known = this.#fronts.get(line)
    if (known !== undefined) return known
    const front = new Front(this, line)
    this.#fronts.set(line, front)
    return front
  }

  began(grant: Grant): void {
    this.held++
    if (grant.hold.claim.wish.detached) this.#detached++
    this.#warner ??= this.keeper.clock.after(this.keeper.settings.warnAfterMs / 2, () => this.#warn())
  }

  ended(grant: Grant): void {
    this.held--
    if (grant.hold.claim.wish.detached) this.#detached--
    if (this.#warned.size > 0) this.#warned.delete(grant)
    this.leaks.ended(grant)
    grant.parent?.nest?.ended(grant)
    grant.nest?.ended(grant)
    if (this.held === this.#detached) this.#drained?.()
  }

  mayGoOn(now: number): boolean {
    return this.#turn.mayGoOn(now)
  }

  idle(front: Front): void {
    if (this.#fronts.get(front.line) === front) this.#fronts.delete(front.line)
  }

  /** Refuses new takes and rejects those that wait. */
  refuse(): void {
    this.#closed = true
    for (const task of this.#deadlines.tasks()) {
      const error = new ClosedError('the Holdfast object was closed while this take waited')
      task.settle({ kind: 'failed', error, outcome: 'closed' })
      task.place?.drop(task)
    }
  }

  /** Waits until nothing is held any more, for at most `ms`. */
  drained(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.held === this.#detached || ms === 0) return resolve()
      const timer = this.keeper.clock.after(ms, resolve)
      timer.ref()
      this.#drained = () => {
        timer.cancel()
        resolve()
      }
    })
  }

  /** Ends all that is still held, in this step; what it leaves in the store is the caller's to clean up. */
  endAll(): void {
    this.#drained = null
    this.leaks.close()
    this.#deadlines.close()
    this.#warner?.cancel()
    this.#warner = null
    for (const front of [...this.#fronts.values()]) front.close()
  }

  #place(task: Task, line: string, atOnce: boolean, parent: Grant | null): void {
    if (parent === null) {
      const front = this.front(line)
      task.place = front
      if (atOnce) front.try(task)
      else front.queue(task)
      return
    }
    parent.nest ??= new Nest(parent, (orphan) => {
      const front = this.front(line)
      orphan.place = front
      front.queue(orphan)
    })
    task.place = parent.nest
    if (atOnce) parent.nest.try(task)
    else parent.nest.queue(task)
  }

  #overdue(task: Task): void {
    const { place } = task
    if (place === null || task.settled) return
    task.settle({ kind: 'failed', ...place.overdue(task) })
    place.drop(task)
  }

  #aborted(task: Task, reason: unknown): void {
    task.settle({ kind: 'failed', error: reason, outcome: 'aborted' })
    task.place?.drop(task)
  }

  /** The lease of this call chain that the take is nested in; null: it stands in line like a stranger. */
  #parentOf(line: string, { kind, name, wish, reentrant }: TakeTerms): Grant | null {
    const held = heldInChain((grant) => grant.hold.owner === this.#fronts.get(line))
    const [inner] = held
    if (inner === undefined) return null
    if (kind === 'lock') {
      if (wish.shared) return inner
      if (inner.shared) throw upgrade(name)
      if (reentrant) return inner
      throw deadlock(name, 'holds it', 'Make the mutex reentrant, pass { within: lease }')
    }
    const holds = new Set(held.map((grant) => grant.hold))
    const weight = [...holds].reduce((sum, hold) => sum + hold.claim.weight, wish.weight)
    const capacity = [...holds].reduce((least, hold) => Math.min(least, hold.claim.wish.capacity), wish.capacity)
    if (weight > capacity) throw deadlock(name, 'holds too much of it', 'Pass { within: lease }')
    return null
  }

  #report(task: Task, settled: Settled): void {
    const { kind, name } = task.terms
    emit('holdfast:take', () => ({
      namespace: this.keeper.settings.namespace,
      name,
      kind,
      label: task.wish.label,
      outcome: settled.kind === 'failed' ? settled.outcome : settled.kind,
      waitedMs: this.keeper.clock.monotonicMs() - task.sinceMs,
      local: settled.kind === 'granted' && (settled.grant.count > 0 || settled.grant.parent !== null),
      fence: settled.kind === 'granted' ? settled.grant.fence : null,
    }))
  }

  /** Reports what is held for long; one look at all grants, and only if somebody listens. */
  #warn(): void {
    this.#warner = null
    const { clock, settings } = this.keeper
    if (wanted('holdfast:held-long')) {
      const now = clock.monotonicMs()
      for (const front of this.#fronts.values())
        for (const grant of front.grants) this.#warnOf(grant, now - grant.sinceMs)
    }
    if (this.#fronts.size > 0) this.#warner = clock.after(settings.warnAfterMs / 2, () => this.#warn())
  }

  #warnOf(grant: Grant, heldMs: number): void {
    let next = this.#warned.get(grant) ?? this.keeper.settings.warnAfterMs
    if (heldMs < next) return
    while (next <= heldMs) next *= 2
    this.#warned.set(grant, next)
    const { namespace } = this.keeper.settings
    const { name, kind } = grant.hold
    const { label, fence, id } = grant
    emit('holdfast:held-long', () => ({ namespace, name, kind, label, heldMs, fence, id }))
  }
}

/**
 * The grant behind a lease given as `within`, if the wish can be nested in it.
 *
 * @throws {TypeError | RangeError} it never can @throws {DeadlockError} a reader asks to write
 * @throws {NotHeldError} the lease has ended
 */
export function checkParent(grant: Grant, line: string, wish: Wish): Grant {
  const { claim, name } = grant.hold
  if (claim.line !== line) throw new TypeError(`within must be a lease on ${partsOf(line).name}, not on ${name}`)
  if (wish.detached) throw new TypeError('detached and within exclude each other: a nested lease ends with its parent')
  if (grant.check() !== 'held') throw new NotHeldError(`the lease on "${name}" given as within is not held`)
  if (grant.shared && !wish.shared) throw upgrade(name)
  if (wish.weight > claim.weight) {
    throw new RangeError(`within is a lease of ${claim.weight} of "${name}" and cannot hold ${wish.weight}`)
  }
  return grant
}

/** No lease of the chain is of use to it, for a reader never becomes a writer. */
function upgrade(name: string): DeadlockError {
  const what = 'reads it, and a reader that asks to write waits for itself'
  return deadlock(name, what, 'Take the write lock from the start')
}

function deadlock(name: string, what: string, ways: string): DeadlockError {
  return new DeadlockError(
    `this call chain ${what}: "${name}" can never be granted to it. ${ways}, or start the work in locks.outside(fn)`,
  )
}
