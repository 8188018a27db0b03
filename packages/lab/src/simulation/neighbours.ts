/**
 * In calm weather a claim is served no later than the budget of those ahead of it allows: each of them may hand over
 * locally for one slice, then has one section to end, and the news travels.
 */
import type { Plan } from './plan.ts'
import type { Verdicts } from './verdicts.ts'

/** Timers of a section are late by a grain each, and nested takes work for a moment. */
const SECTION_EXTRA_MS = 40
/** Ask, leave, hint and ask again. */
const TRIPS = 4

export class Neighbours {
  readonly #verdicts: Verdicts
  readonly #eachMs: number
  readonly #tripMs: number
  readonly #entered = new Map<string, { readonly atMs: number; readonly ahead: number }>()

  constructor(verdicts: Verdicts, plan: Plan) {
    this.#verdicts = verdicts
    const slices = plan.processes.map(({ front }) => (front === false ? 0 : front.sliceMs))
    const sections = plan.operations.map((operation) => (operation.kind === 'lock' ? operation.work.ms : 0))
    this.#tripMs = 2 * plan.weather.delayMs[1]
    this.#eachMs = Math.max(...slices) + Math.max(...sections) + SECTION_EXTRA_MS + TRIPS * this.#tripMs
  }

  /** The store has put it into its line, behind so many. */
  entered(claimId: string, atMs: number, ahead: number): void {
    if (!this.#entered.has(claimId)) this.#entered.set(claimId, { atMs, ahead })
  }

  /** It is held for the first time. */
  granted(claimId: string, atMs: number): void {
    const entry = this.#entered.get(claimId)
    if (entry === undefined) return
    this.#entered.delete(claimId)
    const waitedMs = atMs - entry.atMs
    const mostMs = (entry.ahead * this.#eachMs + TRIPS * this.#tripMs) * 1.01
    if (waitedMs <= mostMs) return
    const what = `${claimId} waited ${waitedMs.toFixed(1)} ms behind ${entry.ahead}, ${mostMs.toFixed(1)} ms are allowed`
    this.#verdicts.wrong('neighbour', what)
  }
}
