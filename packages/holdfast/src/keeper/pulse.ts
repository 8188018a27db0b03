/**
 * The heartbeat as this thread sees it: beats sessions that hold or want something, notices the end of those that could
 * not be renewed, and hands the beating to the worker thread where there is one. No claims, no beats: an idle session
 * ends after one ttl.
 */
import type { Timer } from '../clock.ts'
import { emit } from '../events.ts'
import type { Port } from '../port.ts'
import { type HeartWorker, startHeart } from './heart.ts'
import type { Keeper } from './keeper.ts'
import type { Session } from './session.ts'
import { beatMs } from './tenure.ts'

const HEART_MS_MAX = 250

export class Pulse {
  readonly #keeper: Keeper
  readonly #port: Port
  readonly #watched = new Set<Session>()
  #timer: Timer | null = null
  #heart: HeartWorker | null = null
  #asked = false
  #reason: string | null = null
  /** When this thread last ran a tick; a gap is a stall. */
  ranMs: number

  constructor(keeper: Keeper, port: Port) {
    this.#keeper = keeper
    this.#port = port
    this.ranMs = keeper.clock.monotonicMs()
  }

  get heartbeat(): 'worker' | 'main' | 'none' {
    if (this.#heart?.beats) return 'worker'
    return this.#watched.size > 0 ? 'main' : 'none'
  }
  /** Why this thread beats; null while the worker does or nobody needs to. */
  get reason(): string | null {
    return this.#heart?.beats ? null : this.#reason
  }

  watch(session: Session): void {
    if (this.#watched.has(session)) return
    this.#watched.add(session)
    this.#heart?.watch(session)
    if (!this.#asked) this.#askForHeart()
    if (this.#timer === null) {
      this.ranMs = this.#keeper.clock.monotonicMs()
      this.#arm()
    }
  }

  drop(session: Session): void {
    if (this.#watched.delete(session)) this.#heart?.drop(session)
  }

  /** The store is in another era: the worker may go on with the session in that one. */
  moved(session: Session): void {
    if (this.#watched.has(session)) this.#heart?.watch(session)
  }

  /** The store answers again: a beat that is overdue need not wait for its next try. */
  catchUp(): void {
    const now = this.#keeper.clock.monotonicMs()
    for (const session of [...this.#watched]) this.#look(session, now)
  }

  async close(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = null
    this.#watched.clear()
    await this.#heart?.close()
  }

  /** A worker is started a moment behind the first take: who is done by then needs none. */
  #askForHeart(): void {
    this.#asked = true
    const { heartbeat } = this.#keeper.settings
    const recipe = this.#port.worker
    if (heartbeat === 'main') this.#beatsHere('heartbeat is set to main')
    else if (recipe === null) this.#beatsHere(`a worker cannot open this ${this.#port.kind} store by itself`)
    else
      this.#keeper.clock.after(Math.min(HEART_MS_MAX, this.#keeper.settings.ttlMs / 12), () => this.#startHeart(recipe))
  }

  #startHeart(recipe: NonNullable<Port['worker']>): void {
    if (this.#timer === null) {
      // Nothing is held any more; whoever comes next asks again.
      this.#asked = false
      return
    }
    const started = startHeart(this.#keeper, recipe, {
      ready: () => this.#tell('worker', null),
      ended: (why) => this.#beatsHere(why),
    })
    if (typeof started === 'string') return this.#beatsHere(started)
    this.#heart = started
    for (const session of this.#watched) started.watch(session)
  }

  #beatsHere(why: string): void {
    this.#reason = why
    this.#tell('main', why)
  }

  #tell(heartbeat: 'worker' | 'main', detail: string | null): void {
    const { namespace } = this.#keeper.settings
    emit('holdfast:session', () => ({ namespace, state: 'heartbeat', lateByMs: 0, placesLost: 0, heartbeat, detail }))
  }

  #arm(): void {
    const { clock, settings } = this.#keeper
    const now = clock.monotonicMs()
    // The worker must see this thread run several times in a maxStall.
    let due = Math.min(settings.ttlMs / 3, settings.maxStallMs / 4)
    for (const session of this.#watched) due = Math.min(due, this.#dueIn(session, now))
    const dueMs = now + due
    this.#timer = clock.after(due, () => this.#tick(dueMs))
  }

  /** When the session must be looked at: at its next beat, and at its very end. */
  #dueIn(session: Session, now: number): number {
    const endMs = Math.max(1, session.tenure.untilMs - now + 0.5)
    if (this.#heart?.beats) return endMs
    // A beat that is overdue has failed, and is tried again soon.
    return Math.min(endMs, Math.max(session.ttlMs / 12, session.tenure.startMs + beatMs(session.ttlMs) - now))
  }

  #tick(dueMs: number): void {
    const { clock, settings } = this.#keeper
    const now = clock.monotonicMs()
    const lateByMs = now - dueMs
    if (lateByMs > settings.ttlMs / 6) {
      const { namespace } = settings
      emit('holdfast:session', () => ({
        namespace,
        state: 'beat-late',
        lateByMs,
        placesLost: 0,
        heartbeat: null,
        detail: null,
      }))
    }
    for (const session of [...this.#watched]) this.#look(session, now)
    this.ranMs = now
    const silentMs = now - (this.#keeper.link.silentSinceMs ?? now)
    if (silentMs < this.#keeper.sessions.callMs) this.#heart?.tick(now)
    if (this.#watched.size > 0) this.#arm()
    else this.#timer = null
  }

  #look(session: Session, now: number): void {
    if (session.claims.size === 0 || this.#keeper.sessions.check(session) === 'lost') return this.drop(session)
    const ageMs = now - session.tenure.startMs
    // The worker beats every third; if it has missed that for long, this thread helps out.
    const due = this.#heart?.beats ? session.ttlMs / 2 : beatMs(session.ttlMs) - 1
    if (ageMs >= due) void this.#keeper.sessions.beat(session)
  }
}
