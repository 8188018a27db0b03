/**
 * Whoever runs on a clock of its own: a process, or the store's server. It can stand still while time passes (a stopped
 * process, a blocked loop), sleep with its machine (the monotonic clock stands still too), have its wall clock stepped,
 * and die. What is due meanwhile happens afterwards, in a burst.
 */
import type { Clock, Timer } from '../../../holdfast/src/clock.ts'
import type { Lane } from './agenda.ts'
import type { Kernel } from './kernel.ts'

export interface ActorTerms {
  readonly number: number
  readonly name: string
  /** How fast its clocks go: 1 is true. */
  readonly rate: number
  readonly monotonicMs: number
  readonly wallMs: number
  readonly bootMs: number
  /** Timers are late by up to this much. */
  readonly grainMs: number
  readonly runsCode: boolean
}

/** The boot clock of Linux has this grain. */
const BOOT_GRAIN_MS = 10
/** The least that virtual time moves on for a timer that came up early. */
const STEP_MS = 0.001

export class Actor {
  readonly number: number
  readonly name: string
  readonly runsCode: boolean
  readonly clock: VirtualClock
  dead = false
  blockedUntilMs = 0
  /** When it last began to run again, on its monotonic clock. */
  wokeMs: number = Number.NEGATIVE_INFINITY
  /** Called before its first event after it stood still. */
  onWake: () => void = () => {}
  readonly #kernel: Kernel
  #asleep = false
  #mailFirst = false

  constructor(kernel: Kernel, terms: ActorTerms) {
    this.#kernel = kernel
    this.number = terms.number
    this.name = terms.name
    this.runsCode = terms.runsCode
    this.clock = new VirtualClock(kernel, this, terms)
  }

  get runs(): boolean {
    return !this.dead && this.blockedUntilMs <= this.#kernel.nowMs
  }

  /** Stands still for `ms` while its clocks go on. */
  stall(ms: number): void {
    this.#block(ms)
  }

  /** Its machine sleeps for `ms`: the monotonic clock stands still, wall and boot clock go on. */
  sleep(ms: number): void {
    this.clock.suspend(ms)
    this.#block(ms)
  }

  die(): void {
    this.dead = true
  }

  /** Timers and mail that piled up come in either order, which differs from stall to stall. */
  wakesAtMs(lane: Lane): number {
    return (lane === 'mail') === this.#mailFirst ? this.blockedUntilMs : this.blockedUntilMs + 1e-6
  }

  wake(): void {
    if (!this.#asleep) return
    this.#asleep = false
    this.wokeMs = this.clock.monotonicMs()
    this.onWake()
  }

  #block(ms: number): void {
    this.#asleep = true
    this.#mailFirst = this.#kernel.dice.chance(0.5)
    this.blockedUntilMs = Math.max(this.blockedUntilMs, this.#kernel.nowMs + ms)
  }
}

export class VirtualClock implements Clock {
  /** Timers that are set and neither called off nor over. */
  pending = 0
  /** Those of them that would keep the process alive. */
  referenced = 0
  readonly #kernel: Kernel
  readonly #actor: Actor
  readonly #terms: ActorTerms
  #suspendedMs = 0
  #suspendedFromMs = 0
  #suspendedUntilMs = 0
  #wallStepMs = 0

  constructor(kernel: Kernel, actor: Actor, terms: ActorTerms) {
    this.#kernel = kernel
    this.#actor = actor
    this.#terms = terms
  }

  monotonicMs(): number {
    return this.#terms.monotonicMs + (this.#kernel.nowMs - this.#lostMs()) * this.#terms.rate
  }
  wallMs(): number {
    return Math.floor(this.#terms.wallMs + this.#kernel.nowMs * this.#terms.rate + this.#wallStepMs)
  }
  bootMs(): number {
    const bootMs = this.#terms.bootMs + this.#kernel.nowMs * this.#terms.rate
    return Math.floor(bootMs / BOOT_GRAIN_MS) * BOOT_GRAIN_MS
  }

  step(ms: number): void {
    this.#wallStepMs += ms
  }

  /** True milliseconds that this clock needs for `ms` of its own. */
  trueMs(ms: number): number {
    return ms / this.#terms.rate
  }

  suspend(ms: number): void {
    this.#suspendedMs = this.#lostMs()
    this.#suspendedFromMs = this.#kernel.nowMs
    this.#suspendedUntilMs = this.#kernel.nowMs + ms
  }

  after(ms: number, fn: () => void): Timer {
    return this.#timer(ms, fn, 1)
  }

  /** As `after`, for the simulation itself: not among the timers that the process is asked about. */
  aside(ms: number, fn: () => void): Timer {
    return this.#timer(ms, fn, 0)
  }

  #timer(ms: number, fn: () => void, counts: 0 | 1): Timer {
    const dueMs = this.monotonicMs() + Math.max(0, ms)
    const lateMs = this.#terms.grainMs * this.#kernel.dice.fraction()
    let referenced = false
    let over = false
    const end = (): void => {
      over = true
      this.pending -= counts
      if (referenced) this.referenced--
    }
    const fire = (): void => {
      const leftMs = dueMs - this.monotonicMs()
      if (leftMs > 0) {
        // A machine that slept meanwhile has slept its timers too; and numbers are rounded.
        appointment.run = fire
        this.#kernel.postpone(appointment, this.#kernel.nowMs + Math.max(STEP_MS, this.trueMs(leftMs)))
        return
      }
      end()
      fn()
    }
    const inMs = this.trueMs(dueMs - this.monotonicMs()) + lateMs
    const appointment = this.#kernel.at(this.#kernel.nowMs + inMs, this.#actor, 'timer', fire)
    this.pending += counts
    return {
      cancel: () => {
        if (over) return
        end()
        this.#kernel.callOff(appointment)
      },
      ref: () => {
        if (!referenced && !over) this.referenced++
        referenced = true
      },
      unref: () => {
        if (referenced && !over) this.referenced--
        referenced = false
      },
    }
  }

  /** How long this machine has slept so far. */
  #lostMs(): number {
    const { nowMs } = this.#kernel
    return this.#suspendedMs + Math.max(0, Math.min(nowMs, this.#suspendedUntilMs) - this.#suspendedFromMs)
  }
}
