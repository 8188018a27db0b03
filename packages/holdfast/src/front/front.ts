/**
 * The front keeps this process's own queue for one line, so that only its open claims and at most one closed claim
 * stand in the remote line. A hand-over here costs no round trip; it is still a new holder: new lease, higher fence.
 *
 * What a reader would get wrong: a claim may be handed on only on an answer of the store younger than one slice, or
 * other processes that came in between would wait for ever without a hint.
 *
 * Long because queue, open claims and the one closed claim change together, in one synchronous step.
 */
import type { Timer } from '../clock.ts'
import { isOutage, type LossReason } from '../errors.ts'
import type { Claim, ClaimListener } from '../keeper/claim.ts'
import type { Keeper } from '../keeper/keeper.ts'
import type { ClaimRow } from '../port.ts'
import { jittered } from '../random.ts'
import { nextTick } from '../turn.ts'
import { type Fit, fit } from './fit.ts'
import type { Grant } from './grant.ts'
import { Hold, type HoldOwner } from './hold.ts'
import { type Task, TaskQueue, type Wish } from './task.ts'
import { holderNow, type Verdict, verdict } from './verdict.ts'
import { holdView, rowView } from './view.ts'

/** Between two claims of which the first was dead on arrival. */
const REST_MS = 50

/** What all fronts of one Holdfast object share. */
export interface FrontHome {
  readonly keeper: Keeper
  began(grant: Grant): void
  ended(grant: Grant): void
  /** False: grants have followed each other for so long that timers and sockets must have their turn first. */
  mayGoOn(now: number): boolean
  /** Nothing stands or waits here any more. */
  idle(front: Front): void
}

export class Front implements HoldOwner, ClaimListener {
  readonly line: string
  readonly #home: FrontHome
  /** Null while nobody waits here. */
  #queue: TaskQueue | null = null
  /** Open claims. Never changed in place: a look at the clock may find one lost while they are gone through. */
  #holds: readonly Hold[] = []
  /** The one closed claim, for the head of the queue. */
  #pending: Claim | null = null
  /** Claims that stand for one task, outside the queue. */
  #solo: Map<Claim, Task> | null = null
  #linger: Timer | null = null
  /** When the store last had a word about a claim of this line that stands no more. */
  #heardMs = 0
  /** Pauses under way after claims that were dead on arrival. */
  #resting = 0
  #pumping = false
  #again = false

  constructor(home: FrontHome, line: string) {
    this.#home = home
    this.line = line
  }

  get keeper(): Keeper {
    return this.#home.keeper
  }

  /** All that is held here. */
  get grants(): readonly Grant[] {
    return this.#holds.flatMap((hold) => hold.users)
  }

  /** Stands in line. The task is settled by its grant, or by whoever ends its waiting. */
  queue(task: Task): void {
    if (task.wish.alone) {
      this.#goAlone(task, 'queue')
      return
    }
    this.#queue ??= new TaskQueue()
    this.#queue.push(task)
    this.#pump()
  }

  /** At once or not at all. */
  try(task: Task): void {
    if (!task.wish.alone) {
      if (this.#queue !== null) return task.settle({ kind: 'busy', holder: holderNow(this.#pending, this.#holds) })
      const now = this.keeper.clock.monotonicMs()
      const hold = this.#find(task.wish, now)
      if (hold instanceof Hold) return this.#grant(task, hold, now)
      // Readers of this process do not stand in each other's way, they only lack a fresh answer.
      const inTheWay = (one: Hold): boolean =>
        one.used && !(task.wish.shared && one.shared) && one.standing() === 'live'
      const used = hold === 'soon' ? this.#holds.find(inTheWay) : undefined
      if (used !== undefined) return task.settle({ kind: 'busy', holder: holdView(used) })
      if (this.#preparing) return this.#queueOnce(task)
    }
    this.#goAlone(task, 'try')
  }

  /** An answer about a free claim of ours is on its way; only then is it known whether it can be had at once. */
  #queueOnce(task: Task): void {
    task.once = true
    this.#queue = new TaskQueue()
    this.#queue.push(task)
  }

  get #preparing(): boolean {
    return this.#holds.some((hold) => hold.preparing && !hold.used)
  }

  /** Ends the waiting of a task that has been settled by somebody else. */
  drop(task: Task): void {
    this.#unqueue(task)
    if (task.claim !== null) {
      void this.keeper.leave(task.claim)
      this.#soloOver(task.claim)
    }
    this.#pump()
  }

  /** The error of a task whose time is over: contention and outage are different things. */
  overdue(task: Task): Verdict {
    const claim = task.claim ?? this.#pending
    return verdict(this.keeper, task, { claim, holds: this.#holds, heardMs: this.#heardMs, line: this.line })
  }

  /** A claim is open for the queue or for one task. */
  opened(claim: Claim): void {
    const task = this.#soloOver(claim)
    if (claim === this.#pending) this.#pending = null
    if (task?.settled === true) {
      void this.keeper.leave(claim)
      return this.#pump()
    }
    const now = this.keeper.clock.monotonicMs()
    if (claim.endMs !== null && claim.endMs <= now) return this.#bornDead(claim, task)
    const hold = new Hold(this, claim, now, task?.wish.alone ?? false)
    this.#holds = this.#holds.length === 0 ? [hold] : [...this.#holds, hold]
    if (task !== null) this.#grant(task, hold, now)
    this.#pump()
  }

  /** Its end came before the answer that told of it. Once more, but not as fast as the store can answer. */
  #bornDead(claim: Claim, task: Task | null): void {
    // The store has answered, only too late for this hold.
    this.#heardMs = this.keeper.clock.monotonicMs()
    void this.keeper.leave(claim)
    this.#resting++
    this.#pump()
    void this.keeper.pause(jittered(this.keeper.random, REST_MS)).then(() => {
      this.#resting--
      if (task !== null && !task.settled) this.#goAlone(task, claim.mode)
      this.#pump()
    })
  }

  refused(claim: Claim, holder: ClaimRow | null): void {
    const task = this.#soloOver(claim)
    if (task !== null) this.#busy(task, holder)
    this.#pump()
  }

  lost(claim: Claim, reason: LossReason): void {
    const hold = this.#holds.find((one) => one.claim === claim)
    if (hold === undefined) return
    this.#remove(hold)
    hold.lose(reason)
    this.#pump()
  }

  retimed(claim: Claim): void {
    for (const hold of this.#holds) if (hold.claim === claim) for (const grant of hold.users) grant.arm()
  }

  /** Only what cannot heal ends here; it ends everybody who waits for it. */
  failed(claim: Claim, error: unknown): void {
    const outcome = isOutage(error) ? 'outage' : 'refused'
    this.#soloOver(claim)?.settle({ kind: 'failed', error, outcome })
    if (claim === this.#pending) {
      this.#pending = null
      for (let task = this.#head; task !== null; task = this.#head) {
        this.#unqueue(task)
        task.settle({ kind: 'failed', error, outcome })
      }
    }
    this.#pump()
  }

  freed(hold: Hold): void {
    if (!hold.over) this.#pump()
  }
  began(grant: Grant): void {
    this.#home.began(grant)
  }
  ended(grant: Grant): void {
    this.#home.ended(grant)
  }

  /** Gives a grant back. A promise only if the claim goes with it: whether the store had it, once that is confirmed. */
  release(grant: Grant): boolean | Promise<boolean> {
    const { hold } = grant
    if (!hold.release(grant)) return false
    return hold.leaving ?? true
  }

  /** Ends everything here at once. Detached claims stay in the store and end there by themselves. */
  close(): void {
    this.#linger?.cancel()
    const holds = this.#holds
    this.#holds = []
    for (const hold of holds) {
      hold.over = true
      if (hold.claim.wish.detached) for (const grant of hold.users) hold.release(grant)
      else hold.lose('closed')
    }
    if (this.#pending !== null) void this.keeper.leave(this.#pending)
    this.#pending = null
    this.#home.idle(this)
  }

  /** A grant's claim has changed its weight: others of this process may share it now. */
  changed(): void {
    this.#pump()
  }

  #leave(hold: Hold): void {
    hold.over = true
    this.#remove(hold)
    this.#heardMs = this.keeper.clock.monotonicMs()
    hold.leaving = this.keeper.leave(hold.claim)
  }

  get #head(): Task | null {
    return this.#queue?.head ?? null
  }
  #unqueue(task: Task): void {
    this.#queue?.remove(task)
    if (this.#queue?.size === 0) this.#queue = null
  }

  #remove(hold: Hold): void {
    this.#holds = this.#holds.filter((one) => one !== hold)
  }

  /** Serves the head of the queue as long as something fits, then says what is wanted and gives back what is not. */
  #pump(): void {
    if (this.#pumping) {
      this.#again = true
      return
    }
    this.#pumping = true
    try {
      do {
        this.#again = false
        const want = this.#serve()
        this.#tidy()
        this.#pend(want)
      } while (this.#again)
    } finally {
      this.#pumping = false
    }
    if (this.#idle) this.#home.idle(this)
  }

  /** The first task that needs a claim of its own, if the queue stops at one. */
  #serve(): Task | null {
    for (let task = this.#head; task !== null; task = this.#head) {
      // Whoever hears of its end may have come here before it was taken out.
      if (task.settled) {
        this.#unqueue(task)
        continue
      }
      const now = this.keeper.clock.monotonicMs()
      const hold = this.#find(task.wish, now)
      const wait = !(hold instanceof Hold)
      if (wait && (!task.once || this.#preparing)) return hold === 'none' && !task.once ? task : null
      if (!wait && this.#mayBeLast(hold)) {
        // Who has just released may come back: tasks that take turns would miss each other by a promise, and each of
        // their sections would cost a way to the store.
        hold.rested = true
        this.#keepUntil(nextTick, hold)
        return null
      }
      if (!wait && !this.#home.mayGoOn(now)) {
        // The event loop turns before the hold is granted to the next.
        this.#keepUntil((turned) => void this.keeper.pause(0).then(turned), hold)
        return null
      }
      this.#unqueue(task)
      if (wait) this.try(task)
      else this.#grant(task, hold, now)
    }
    return null
  }

  /** Nobody waits behind the head of the queue, to whom the claim is about to be handed over. */
  #mayBeLast(hold: Hold): boolean {
    return this.#queue?.size === 1 && !hold.fresh && !hold.used && !hold.rested
  }

  /** It is neither granted nor left until then. */
  #keepUntil(later: (done: () => void) => void, hold: Hold): void {
    hold.preparing = true
    later(() => {
      hold.preparing = false
      this.#pump()
    })
  }

  get #idle(): boolean {
    return (
      this.#resting === 0 &&
      this.#queue === null &&
      this.#holds.length === 0 &&
      this.#pending === null &&
      !this.#crowded
    )
  }

  /** Tasks wait in the line with claims of their own. */
  get #crowded(): boolean {
    return this.#solo !== null && this.#solo.size > 0
  }

  /** A hold that the wish can be granted by, `soon` when one will do presently, or `none`. */
  #find(wish: Wish, now: number): Hold | 'soon' | 'none' {
    let soon = false
    const stale: [Hold, Exclude<Fit, string>][] = []
    // No more questions than tasks: with a thousand free permits the last answers would be stale when they come.
    let needed = this.#queue?.size ?? 1
    for (const hold of this.#holds) {
      const how: Fit = fit(hold, wish, this.keeper.settings, now, this.#crowded)
      if (how === 'now') return hold
      if (how === 'never') continue
      soon = true
      if (how !== 'soon') stale.push([hold, how === 'ask' ? {} : how])
      else if (hold.preparing) needed--
    }
    for (const [hold, change] of stale.slice(0, Math.max(0, needed))) this.#prepare(hold, change)
    return soon ? 'soon' : 'none'
  }

  /** Leaves what is free and wanted by nobody here. A free lock that nobody else waits for may linger. */
  #tidy(): void {
    for (const hold of this.#holds) {
      if (hold.used || hold.preparing) continue
      if (this.#queue === null && !this.#crowded && this.#lingers(hold)) continue
      this.#leave(hold)
    }
  }

  #lingers(hold: Hold): boolean {
    const { lingerMs, sliceMs } = this.keeper.settings
    if (lingerMs === 0 || hold.alone || hold.claim.contended || hold.claim.endMs !== null || hold.standing() !== 'live')
      return false
    const now = this.keeper.clock.monotonicMs()
    hold.lingerUntilMs ??= now + lingerMs
    if (now >= hold.lingerUntilMs) return false
    const freshMs = hold.baseMs + sliceMs - now
    if (freshMs <= 0) {
      this.#prepare(hold, {})
      return true
    }
    this.#linger?.cancel()
    this.#linger = this.keeper.clock.after(Math.min(freshMs, hold.lingerUntilMs - now), () => this.#pump())
    return true
  }

  /** Keeps one closed claim in line for the head of the queue, and none that nobody wants. */
  #pend(want: Task | null): void {
    const pending = this.#pending
    if (pending !== null) {
      if (want !== null && same(pending, want.wish)) return
      this.#pending = null
      if (pending.heard) this.#heardMs = this.keeper.clock.monotonicMs()
      void this.keeper.leave(pending)
    }
    if (want !== null && this.#resting === 0) this.#pending = this.keeper.stand(this.line, want.wish, 'queue', this)
  }

  /** Asks about a free hold, or changes it, before it may be handed on. */
  #prepare(hold: Hold, change: { readonly maxHoldMs?: number | null; readonly weight?: number }): void {
    if (hold.preparing) return
    hold.preparing = true
    const { claim } = hold
    const done = Object.keys(change).length === 0 ? this.keeper.refresh(claim) : this.keeper.amend(claim, change)
    void done.then((told) => {
      hold.preparing = false
      if (told) hold.stampedMs = change.maxHoldMs ?? null
      if (told && !claim.contended) {
        // From its arrival: where the way takes longer than a slice, no answer would ever be fresh.
        hold.baseMs = Math.floor(this.keeper.clock.monotonicMs())
        hold.passes = 0
      }
      this.#pump()
    })
  }

  #grant(task: Task, hold: Hold, now: number): void {
    hold.passes++
    hold.lingerUntilMs = null
    task.settle({ kind: 'granted', grant: hold.grant(task.wish, now - task.sinceMs, now) })
  }

  #busy(task: Task, holder: ClaimRow | null): void {
    task.settle({ kind: 'busy', holder: holder === null ? null : rowView(holder) })
  }

  /** A claim for this task alone: fair, detached, without a front, or a try. */
  #goAlone(task: Task, mode: 'queue' | 'try'): void {
    // A claim that only lingers would stand in its way.
    for (const hold of this.#holds) if (!hold.used && !hold.preparing) this.#leave(hold)
    task.claim = this.keeper.stand(this.line, task.wish, mode, this)
    this.#solo ??= new Map()
    this.#solo.set(task.claim, task)
  }

  /** The task for which the claim stood alone, which it does no more. */
  #soloOver(claim: Claim): Task | null {
    const task = this.#solo?.get(claim) ?? null
    if (task !== null) task.claim = null
    this.#solo?.delete(claim)
    return task
  }
}

/** Whether a claim asks for what this task wants, so that the task can take its place. */
function same(claim: Claim, wish: Wish): boolean {
  const { weight, capacity, slot, maxHoldMs } = claim.wish
  return weight === wish.weight && capacity === wish.capacity && slot === wish.slot && maxHoldMs === wish.maxHoldMs
}
