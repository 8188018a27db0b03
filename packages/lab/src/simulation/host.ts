/**
 * One simulated process: a Holdfast object on a clock, a network and a source of chance of its own. It can be closed,
 * and it can die; a process that is started again is another host.
 */
import type { HoldfastOptions } from '../../../holdfast/src/api.ts'
import { startEngine } from '../../../holdfast/src/engine.ts'
import { HoldfastObject } from '../../../holdfast/src/holdfast.ts'
import type { Random } from '../../../holdfast/src/random.ts'
import type { Actor } from './actor.ts'
import type { Holding } from './beliefs.ts'
import type { Dice } from './dice.ts'
import type { Network, Wire } from './network.ts'
import { remoteBackend } from './remote-ledger.ts'

const CONNECT_MS = 5000

export interface HostTerms {
  readonly actor: Actor
  readonly network: Network
  readonly dice: Dice
  readonly options: HoldfastOptions
  readonly ttlMs: number
  readonly parks: boolean
}

export class Host {
  readonly actor: Actor
  readonly ttlMs: number
  readonly locks: HoldfastObject
  readonly holdings: Set<Holding> = new Set()
  wire: Wire | null = null
  /** Its first connection stands. */
  connected = false
  /** `close` was called, and when it has been answered. */
  closing = false
  closed = false

  constructor({ actor, network, dice, options, ttlMs, parks }: HostTerms) {
    this.actor = actor
    this.ttlMs = ttlMs
    const onWire = (wire: Wire): void => {
      this.wire = wire
    }
    const onConnected = (): void => {
      this.connected = true
    }
    const backend = remoteBackend({ network, actor, ttlMs, parks, onWire, onConnected })
    this.locks = new HoldfastObject(backend, options, { clock: actor.clock, random: randomOf(dice) }, startEngine)
  }

  /** Ready to be given work. */
  get works(): boolean {
    return !this.actor.dead && !this.closing
  }

  /** How long one request of it may take. */
  get callMs(): number {
    return this.ttlMs / 3
  }

  /** What the first connection may take on top. */
  get connectMs(): number {
    return this.connected ? 0 : CONNECT_MS
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.actor.clock.aside(ms, resolve)
    })
  }
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuv'

function randomOf(dice: Dice): Random {
  const three = (): string => {
    let bits = dice.bits()
    let text = ''
    for (let letter = 0; letter < 4; letter++) {
      text += ALPHABET[bits & 31]
      bits >>>= 5
    }
    return text
  }
  return { id: () => three() + three() + three() + three(), fraction: () => dice.fraction() }
}
