/** What one process of a shop counts while it sells. */

export interface Tally {
  /** Commands or statements that this process sent to the server; null: its store has none to send to. */
  readonly commands: number | null
  /** Attempts that brought nothing. */
  readonly wasted: number
  /** What must never be, by its name. */
  readonly faults: Readonly<Record<string, number>>
  /** How long each purchase waited for its turn. */
  readonly waitsMs: readonly number[]
  /** When the last piece was sold, on the clock that all processes of a machine share; null: none was. */
  readonly soldAtMs: number | null
  /** Further figures of a strategy, such as the most contenders in the line. The largest of all processes counts. */
  readonly peaks: Readonly<Record<string, number>>
}

export class Meter {
  readonly waitsMs: number[] = []
  wasted = 0
  soldAtMs: number | null = null
  #commands: number | null = null
  readonly #faults = new Map<string, number>()
  readonly #peaks = new Map<string, number>()

  sent(commands = 1): void {
    this.#commands = (this.#commands ?? 0) + commands
  }

  fault(what: string): void {
    this.#faults.set(what, (this.#faults.get(what) ?? 0) + 1)
  }

  peak(what: string, value: number): void {
    this.#peaks.set(what, Math.max(value, this.#peaks.get(what) ?? 0))
  }

  get tally(): Tally {
    const [faults, peaks] = [Object.fromEntries(this.#faults), Object.fromEntries(this.#peaks)]
    return {
      commands: this.#commands,
      wasted: this.wasted,
      faults,
      peaks,
      waitsMs: this.waitsMs,
      soldAtMs: this.soldAtMs,
    }
  }
}

export const NO_TALLY: Tally = { commands: null, wasted: 0, faults: {}, peaks: {}, waitsMs: [], soldAtMs: null }

export function addTallies(all: readonly Tally[]): Tally {
  return all.reduce(
    (sum, one) => ({
      commands: one.commands === null ? sum.commands : (sum.commands ?? 0) + one.commands,
      wasted: sum.wasted + one.wasted,
      faults: merged(sum.faults, one.faults, (a, b) => a + b),
      peaks: merged(sum.peaks, one.peaks, Math.max),
      waitsMs: [...sum.waitsMs, ...one.waitsMs],
      soldAtMs: one.soldAtMs === null ? sum.soldAtMs : Math.max(sum.soldAtMs ?? 0, one.soldAtMs),
    }),
    NO_TALLY,
  )
}

function merged(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
  both: (a: number, b: number) => number,
): Record<string, number> {
  const sum = { ...one }
  for (const [name, value] of Object.entries(other)) sum[name] = name in sum ? both(sum[name] ?? 0, value) : value
  return sum
}
