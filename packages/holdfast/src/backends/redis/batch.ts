/**
 * Requests of one kind that are made in the same turn of the event loop travel together, as one call of a script. They
 * are sent when the turn's promises have run, so that waiting for company costs no time.
 */

interface Waiting<Item, Answer> {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

export class Batch<Item, Answer> {
  readonly #most: number
  readonly #send: (items: readonly Item[]) => Promise<readonly Answer[]>
  #waiting: Waiting<Item, Answer>[] = []

  /** `send` gives an answer for each item, in their order. */
  constructor(most: number, send: (items: readonly Item[]) => Promise<readonly Answer[]>) {
    this.#most = most
    this.#send = send
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#waiting.length === 1) process.nextTick(() => this.#flush())
    })
  }

  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (let at = 0; at < waiting.length; at += this.#most) void this.#deliver(waiting.slice(at, at + this.#most))
  }

  async #deliver(waiting: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#send(waiting.map(({ item }) => item))
      for (const [index, { resolve }] of waiting.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}
