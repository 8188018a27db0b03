/**
 * The diagnostics channels and their payloads. Nobody subscribed: no object is built. Names in payloads are the user's;
 * use `label` as a metric label, for names are unbounded.
 */
import { type Channel, channel } from 'node:diagnostics_channel'
import type { LossReason } from './errors.ts'
import { writable } from './json.ts'

interface Named {
  readonly namespace: string
  readonly name: string
  readonly kind: string
  readonly label: string | null
}
/** `holdfast:take`: a take has ended. */
export interface TakeEvent extends Named {
  readonly outcome: 'granted' | 'busy' | 'timeout' | 'aborted' | 'outage' | 'refused' | 'closed'
  readonly waitedMs: number
  /** Granted by a hand-over inside this process, without a round trip. */
  readonly local: boolean
  readonly fence: bigint | null
}
/** `holdfast:release`: a lease was given back. */
export interface ReleaseEvent extends Named {
  readonly heldMs: number
  readonly fence: bigint
}
/** `holdfast:lost`: a lease was lost. */
export interface LostEvent extends ReleaseEvent {
  readonly reason: LossReason
}
/** `holdfast:session` */
export interface SessionEvent {
  readonly namespace: string
  readonly state: 'opened' | 'suspended' | 'resumed' | 'lost' | 'beat-late' | 'heartbeat'
  /** `beat-late`: how late; else 0. */
  readonly lateByMs: number
  /** `lost`: waiting takes that lost their place and stand in line again. */
  readonly placesLost: number
  /** `heartbeat`: who beats from now on, and why. */
  readonly heartbeat: 'worker' | 'main' | null
  readonly detail: string | null
}
/** `holdfast:held-long`: held over `warnAfter`, again at each doubling. */
export interface HeldLongEvent extends ReleaseEvent {
  readonly id: string
}
/** `holdfast:leak`: a lease was garbage collected unreleased; it has been released. */
export interface LeakEvent extends ReleaseEvent {
  readonly id: string
}
/** `holdfast:hint-missed`: a waiter found itself first by asking, not by being told. */
export interface HintMissedEvent extends Named {
  readonly waitedMs: number
}
/** `holdfast:warning`: a setting or state that will hurt. */
export interface WarningEvent {
  readonly namespace: string
  readonly code: string
  readonly message: string
}
export interface EventByChannel {
  'holdfast:take': TakeEvent
  'holdfast:release': ReleaseEvent
  'holdfast:lost': LostEvent
  'holdfast:session': SessionEvent
  'holdfast:held-long': HeldLongEvent
  'holdfast:leak': LeakEvent
  'holdfast:hint-missed': HintMissedEvent
  'holdfast:warning': WarningEvent
}

type Channels = { readonly [C in keyof EventByChannel]: Channel }

const channels: Channels = {
  'holdfast:take': channel('holdfast:take'),
  'holdfast:release': channel('holdfast:release'),
  'holdfast:lost': channel('holdfast:lost'),
  'holdfast:session': channel('holdfast:session'),
  'holdfast:held-long': channel('holdfast:held-long'),
  'holdfast:leak': channel('holdfast:leak'),
  'holdfast:hint-missed': channel('holdfast:hint-missed'),
  'holdfast:warning': channel('holdfast:warning'),
}

/** Publishes what `build` makes, if anybody listens. */
export function emit<C extends keyof EventByChannel>(name: C, build: () => EventByChannel[C]): void {
  if (wanted(name)) channels[name].publish(writable(build()))
}

/** Whether anybody listens, for work that only an event needs. */
export function wanted(name: keyof EventByChannel): boolean {
  return channels[name].hasSubscribers
}
