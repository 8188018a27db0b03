/**
 * Watches a held lock and ends the command in time. It goes by how long the lock is known to be ours and not by being
 * told: when nothing can be heard from the store, nobody tells. It never waits for anything but its own timer.
 */
import type { Clock, Timer } from '../clock.ts'
import { isHoldfastError, type LossReason } from '../errors.ts'
import { type Grace, type Limits, limitsOnceLost, limitsWhileHeld } from './ladder.ts'
import type { ProcessGroup } from './process-group.ts'

/** What is watched of a lease. */
export interface Watched {
  readonly signal: AbortSignal
  validForMs(): number
  confirm(): Promise<void>
}

export interface WatchOptions {
  readonly clock: Clock
  readonly lease: Watched
  readonly group: ProcessGroup
  readonly grace: Grace
  readonly hardEndAtMs: number | null
  /** Told of each change of the limits, for the watchdog. */
  readonly onLimits: (limits: Limits, told: boolean) => void
}

/** A sleeping machine stops our timers but not the lock's, so look more often than the limits ask for. */
const LOOK_MS_MAX = 200
/** How often to look for survivors once the command was told. */
const LOOK_MS_TOLD = 20
/** A clock that stepped puts the lock in doubt; the store's own word is waited for no longer than this. */
const DOUBT_MS_MAX = 250
/** What is not gone so long after SIGKILL hangs in the kernel, and waiting does not help. */
const GIVE_UP_MS = 2000
/** Two looks at one deadline differ by the time between two readings of the clock. */
const REPORT_MS_MIN = 5

export class Watch {
  /** `gone`: nothing of the group is left. `stuck`: something outlived SIGKILL. Only once the command was told. */
  readonly over: Promise<'gone' | 'stuck'>
  readonly #options: WatchOptions
  readonly #settle: (how: 'gone' | 'stuck') => void
  #limits: Limits
  #timer: Timer | null = null
  #reason: LossReason | null = null
  #toldWhy: LossReason | 'not-renewed' | null = null
  #killedAtMs: number | null = null
  #reportedKillAtMs: number | null = null
  #doubtEndsAtMs: number | null = null
  #stopped = false

  constructor(options: WatchOptions) {
    this.#options = options
    let settle: (how: 'gone' | 'stuck') => void = () => {}
    this.over = new Promise((resolve) => {
      settle = resolve
    })
    this.#settle = settle
    const nowMs = options.clock.monotonicMs()
    this.#limits = limitsWhileHeld(nowMs, options.lease.validForMs(), options.hardEndAtMs, options.grace)
    options.lease.signal.addEventListener('abort', this.look, { once: true })
    this.look()
  }

  /** Why the command was told to end; null: it was not. */
  get told(): LossReason | 'not-renewed' | null {
    return this.#toldWhy
  }

  /** Whether SIGKILL was needed. */
  get killed(): boolean {
    return this.#killedAtMs !== null
  }

  /** No further look: the command has ended by itself. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#options.lease.signal.removeEventListener('abort', this.look)
  }

  /** Looks now; also the first thing to do after this process was stopped. */
  readonly look = (): void => {
    if (this.#stopped) return
    this.#timer?.cancel()
    const nowMs = this.#options.clock.monotonicMs()
    this.#limits = this.#limitsAt(nowMs)
    const wasTold = this.#toldWhy !== null
    if (nowMs >= this.#limits.killAtMs) this.#kill(nowMs)
    else if (nowMs >= this.#limits.termAtMs && !wasTold) this.#term(nowMs)
    this.#report(wasTold)
    if (this.#isOver(nowMs)) return
    this.#timer = this.#options.clock.after(this.#sleepMs(nowMs), this.look)
    this.#timer.ref()
  }

  #report(wasTold: boolean): void {
    const told = this.#toldWhy !== null
    const movedMs = Math.abs(this.#limits.killAtMs - (this.#reportedKillAtMs ?? Number.NEGATIVE_INFINITY))
    if (movedMs < REPORT_MS_MIN && told === wasTold) return
    this.#reportedKillAtMs = this.#limits.killAtMs
    this.#options.onLimits(this.#limits, told)
  }

  #limitsAt(nowMs: number): Limits {
    const { lease, grace, hardEndAtMs } = this.#options
    if (this.#reason !== null) return this.#limits
    const validForMs = lease.validForMs()
    if (lease.signal.aborted) {
      this.#reason = reasonOf(lease.signal.reason)
      return limitsOnceLost(nowMs, this.#reason, this.#limits, grace)
    }
    if (validForMs > 0) {
      this.#doubtEndsAtMs = null
      return limitsWhileHeld(nowMs, validForMs, hardEndAtMs, grace)
    }
    return this.#limitsInDoubt(nowMs)
  }

  /** Not lost, but not to be relied on: wall or boot clock say that its time is over, as after a suspend or a step. */
  #limitsInDoubt(nowMs: number): Limits {
    if (this.#doubtEndsAtMs === null) {
      this.#doubtEndsAtMs = nowMs + DOUBT_MS_MAX
      this.#options.lease.confirm().then(this.look, this.look)
    }
    return { termAtMs: this.#limits.termAtMs, killAtMs: Math.min(this.#limits.killAtMs, this.#doubtEndsAtMs) }
  }

  #term(nowMs: number): void {
    this.#toldWhy = this.#why(nowMs)
    this.#options.group.signal('SIGTERM')
    // A stopped process hears SIGTERM only once it goes on.
    this.#options.group.signal('SIGCONT')
  }

  #kill(nowMs: number): void {
    this.#toldWhy ??= this.#why(nowMs)
    if (this.#killedAtMs !== null) return
    this.#killedAtMs = nowMs
    this.#options.group.signal('SIGKILL')
  }

  /** Near the hard end that is the reason, whether or not the last renewals came. */
  #why(nowMs: number): LossReason | 'not-renewed' {
    const { hardEndAtMs, grace } = this.#options
    if (this.#reason !== null) return this.#reason
    const nearEnd = hardEndAtMs !== null && hardEndAtMs - nowMs <= grace.hardEndMs + grace.lossMs
    return nearEnd ? 'max-hold' : 'not-renewed'
  }

  #isOver(nowMs: number): boolean {
    if (this.#toldWhy === null) return false
    const stuck = this.#killedAtMs !== null && nowMs >= this.#killedAtMs + GIVE_UP_MS
    if (this.#options.group.isAlive() && !stuck) return false
    this.#settle(stuck ? 'stuck' : 'gone')
    this.stop()
    return true
  }

  #sleepMs(nowMs: number): number {
    if (this.#killedAtMs !== null) return LOOK_MS_TOLD
    const nextMs = this.#toldWhy === null ? this.#limits.termAtMs : this.#limits.killAtMs
    const capMs = this.#toldWhy === null ? LOOK_MS_MAX : LOOK_MS_TOLD
    return Math.max(0, Math.min(capMs, nextMs - nowMs, this.#limits.killAtMs - nowMs))
  }
}

function reasonOf(reason: unknown): LossReason {
  return isHoldfastError(reason, 'LEASE_LOST') ? reason.reason : 'expired'
}
