/** The clock that judges who is dead in a SQLite file: it may lag by its grain, and must never run ahead. */
import { expect, test } from 'vitest'
import { BootClock } from '../../src/backends/sqlite/boot-clock.ts'

const GRAIN_MS = 10

/** A machine whose boot clock shows multiples of the grain, and whose process may pause behind each reading. */
class Machine {
  trueMs = 1_000_003
  readonly #pauseMs: () => number

  constructor(pauseMs: () => number) {
    this.#pauseMs = pauseMs
  }

  get clock() {
    return {
      monotonicMs: () => this.#read(this.trueMs - 500_000.5),
      bootMs: () => this.#read(Math.floor(this.trueMs / GRAIN_MS) * GRAIN_MS),
      bootGrainMs: GRAIN_MS,
    }
  }

  #read(shownMs: number): number {
    this.trueMs += this.#pauseMs()
    return shownMs
  }
}

test('a process that pauses between two readings of its clocks does not run ahead of the others', () => {
  let readings = 0
  const machine = new Machine(() => (++readings % 7 === 1 ? 60 : 0))
  const boot = new BootClock(machine.clock)
  for (let look = 0; look < 200; look++) {
    machine.trueMs += 7
    expect(boot.nowMs()).toBeLessThanOrEqual(machine.trueMs)
  }
})

test('two processes are apart by no more than the grain, however late one of them came', () => {
  const machine = new Machine(() => 0)
  const old = new BootClock(machine.clock)
  for (let look = 0; look < 500; look++) {
    machine.trueMs += 3.7
    const fresh = new BootClock(machine.clock)
    expect(Math.abs(old.nowMs() - fresh.nowMs())).toBeLessThanOrEqual(fresh.grainMs)
  }
})
