/**
 * What is still to happen, in the order of time and, at one moment, of entry. A binary heap; what is called off stays
 * in it until it comes up or until most of it is called off.
 */
import type { Actor } from './actor.ts'

/** Which of a process's queues an event belongs to: after a stall either of them may come first. */
export type Lane = 'timer' | 'mail'

export interface Appointment {
  atMs: number
  order: number
  readonly actor: Actor
  readonly lane: Lane
  /** Null once it is called off or over. */
  run: (() => void) | null
}

export class Agenda {
  #heap: Appointment[] = []
  #made = 0
  #off = 0

  get size(): number {
    return this.#heap.length - this.#off
  }

  add(atMs: number, actor: Actor, lane: Lane, run: () => void): Appointment {
    const appointment: Appointment = { atMs, order: this.#made++, actor, lane, run }
    this.#push(appointment)
    return appointment
  }

  /** Puts one that came up back, for later. */
  postpone(appointment: Appointment, atMs: number): void {
    appointment.atMs = atMs
    appointment.order = this.#made++
    this.#push(appointment)
  }

  callOff(appointment: Appointment): void {
    if (appointment.run === null) return
    appointment.run = null
    this.#off++
    if (this.#off > 256 && this.#off > this.#heap.length / 2) this.#compact()
  }

  /** The next one that is not called off, taken out; null when there is none up to `untilMs`. */
  next(untilMs: number): Appointment | null {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (first.run !== null && first.atMs > untilMs) return null
      this.#pop()
      if (first.run !== null) return first
      this.#off--
    }
    return null
  }

  #compact(): void {
    this.#heap = this.#heap.filter((appointment) => appointment.run !== null)
    this.#off = 0
    // In a sorted array every parent is before its children.
    this.#heap.sort((a, b) => (before(a, b) ? -1 : 1))
  }

  #push(appointment: Appointment): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(appointment)
    while (at > 0) {
      const above = (at - 1) >>> 1
      const parent = heap[above] as Appointment
      if (!before(appointment, parent)) break
      heap[at] = parent
      at = above
    }
    heap[at] = appointment
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop() as Appointment
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && before(heap[below + 1] as Appointment, heap[below] as Appointment)) below++
      const child = heap[below] as Appointment
      if (!before(child, last)) break
      heap[at] = child
      at = below
    }
    heap[at] = last
  }
}

function before(a: Appointment, b: Appointment): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}
