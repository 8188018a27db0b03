/**
 * Virtual time: one event is taken from the agenda, run, and all microtasks it caused are run before the next. What a
 * reader would get wrong: a history runs synchronously inside one turn of the real event loop, so it must be started
 * from a macrotask, never from a promise callback, in which Node cannot drain microtasks.
 */
import type { Actor } from './actor.ts'
import { Agenda, type Appointment, type Lane } from './agenda.ts'
import type { Dice } from './dice.ts'
import type { Trace } from './trace.ts'

/** Runs ticks and microtasks until none is left; what Node calls after each callback of its own. */
const drainNow: () => void = (process as unknown as { _tickCallback(): void })._tickCallback.bind(process)

const EVENTS_MAX = 400_000

export class Kernel {
  readonly dice: Dice
  readonly trace: Trace
  readonly #agenda = new Agenda()
  #nowMs = 0
  #events = 0
  #interrupt: { readonly inEvent: number; readonly turn: number; readonly call: () => void } | null = null

  constructor(dice: Dice, trace: Trace) {
    this.dice = dice
    this.trace = trace
  }

  get nowMs(): number {
    return this.#nowMs
  }
  get events(): number {
    return this.#events
  }

  at(atMs: number, actor: Actor, lane: Lane, run: () => void): Appointment {
    return this.#agenda.add(Math.max(atMs, this.#nowMs), actor, lane, run)
  }

  callOff(appointment: Appointment): void {
    this.#agenda.callOff(appointment)
  }

  /** Calls `call` once, so many microtask turns after the plain part of that event. */
  interrupt(inEvent: number, turn: number, call: () => void): void {
    this.#interrupt = { inEvent, turn, call }
  }

  /** Puts an appointment that came up too early back. */
  postpone(appointment: Appointment, atMs: number): void {
    this.#agenda.postpone(appointment, atMs)
  }

  /** Runs what is due up to `untilMs`, and ends at that moment. `over` ends it earlier. */
  run(untilMs: number, over: () => boolean = () => false): void {
    drainNow()
    while (!over()) {
      const next = this.#agenda.next(untilMs)
      if (next === null) {
        this.#nowMs = Math.max(this.#nowMs, untilMs)
        return
      }
      if (++this.#events > EVENTS_MAX) throw new RangeError(`more than ${EVENTS_MAX} events: something spins`)
      this.#nowMs = next.atMs
      this.#dispatch(next)
    }
  }

  #dispatch(next: Appointment): void {
    const { actor, run } = next
    if (actor.dead || run === null) return
    if (actor.blockedUntilMs > this.#nowMs) {
      this.#agenda.postpone(next, actor.wakesAtMs(next.lane))
      return
    }
    next.run = null
    actor.wake()
    run()
    const interrupt = this.#interrupt?.inEvent === this.#events ? this.#interrupt : null
    if (interrupt !== null) afterTurns(interrupt.turn, interrupt.call)
    // Of the store's events only an abort that falls into one runs code of a process.
    if (actor.runsCode || interrupt !== null) drainNow()
  }
}

export function afterTurns(turns: number, call: () => void): void {
  if (turns === 0) call()
  else queueMicrotask(() => afterTurns(turns - 1, call))
}

/** Calls `work` in a turn of its own, where microtasks can be drained. */
export function inOwnTurn<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        requireDrain()
        resolve(work())
      } catch (error) {
        reject(error)
      }
    })
  })
}

function requireDrain(): void {
  let ran = false
  queueMicrotask(() => {
    ran = true
  })
  drainNow()
  if (!ran) throw new TypeError('this Node does not run microtasks on demand')
}
