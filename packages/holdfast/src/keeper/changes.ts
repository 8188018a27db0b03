/**
 * Waiting for a line or cell to change. A hint only wakes; what is true is read anew, and without any hint it is read
 * once a beat.
 */
import { AGAIN, type Until } from './again.ts'
import type { Keeper } from './keeper.ts'
import { patiently } from './patience.ts'

/** What a look is given at least, so that what is there already is found with the last of the time. */
const LOOK_MS = 100

export class Changes {
  readonly #keeper: Keeper
  readonly #wakers = new Map<string, Set<() => void>>()

  constructor(keeper: Keeper) {
    this.#keeper = keeper
    keeper.onChange = (what) => this.#changed(what)
  }

  /**
   * Calls `look` until it gives something other than `again`, at each hint on `name` and at least once a beat.
   *
   * @throws the reason of `signal`, unchanged; what `look` throws; a promise that `limitMs` ends rejects with `late()`
   */
  async until<T>(name: string, look: () => Promise<T | typeof AGAIN>, { signal, limitMs, late }: Until): Promise<T> {
    const keeper = this.#keeper
    const endMs = keeper.clock.monotonicMs() + limitMs
    keeper.vigil.begin()
    const waker = new Waker()
    const stop = this.#listen(name, () => waker.wake())
    const onAbort = (): void => waker.wake()
    signal?.addEventListener('abort', onAbort, { once: true })
    const attending = keeper.attend()
    // Without time to wait, the one question has the limit of a try.
    const askMs = limitMs === 0 ? keeper.tryMs : LOOK_MS
    const leftMs = (): number => endMs - keeper.clock.monotonicMs()
    try {
      await patiently(keeper.clock, attending, { signal, limitMs: Math.max(limitMs, askMs), late })
      for (;;) {
        signal?.throwIfAborted()
        waker.reset()
        const found = await patiently(keeper.clock, look(), { signal, limitMs: Math.max(leftMs(), askMs), late })
        if (found !== AGAIN) return found
        if (leftMs() <= 0) throw late()
        const timer = keeper.clock.after(Math.min(keeper.settings.ttlMs / 3, leftMs()), () => waker.wake())
        await waker.woken
        timer.cancel()
      }
    } finally {
      stop()
      void attending.then((ignore) => ignore())
      signal?.removeEventListener('abort', onAbort)
      keeper.vigil.end()
    }
  }

  #listen(name: string, wake: () => void): () => void {
    const wakers = this.#wakers.get(name) ?? new Set()
    this.#wakers.set(name, wakers)
    wakers.add(wake)
    return () => {
      wakers.delete(wake)
      if (wakers.size === 0) this.#wakers.delete(name)
    }
  }

  #changed(what: string | null): void {
    const woken = what === null ? [...this.#wakers.values()] : [this.#wakers.get(what) ?? []]
    for (const wakers of woken) for (const wake of wakers) wake()
  }

  /** Wakes everybody, to find out that the Holdfast object is closed. */
  close(): void {
    this.#changed(null)
  }
}

/** Remembers a wake-up that comes while nobody sleeps. */
class Waker {
  wake: () => void = () => {}
  woken: Promise<void> = Promise.resolve()

  reset(): void {
    this.woken = new Promise((resolve) => {
      this.wake = resolve
    })
  }
}
