/**
 * Requests of one kind that are made in the same turn of the event loop travel together, as one call of a script. They
 * are sent when the turn's promises have run, so that waiting for company costs no time.
 */

interface Waiting<Item, Answer> {
  readonly items: readonly Item[]
  readonly resolve: (answers: readonly Answer[]) => void
  readonly reject: (error: unknown) => void
}

export class Batch<Item, Answer> {
  readonly #most: number
  readonly #send: (items: readonly Item[]) => Promise<readonly Answer[]>
  #waiting: Waiting<Item, Answer>[] = []

  /** `send` gives an answer for each item, in their order; it gets `most` of them unless more were added at once. */
  constructor(most: number, send: (items: readonly Item[]) => Promise<readonly Answer[]>) {
    this.#most = most
    this.#send = send
  }

  add(items: readonly Item[]): Promise<readonly Answer[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject })
      if (this.#waiting.length === 1) process.nextTick(() => this.#flush())
    })
  }

  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    let together: Waiting<Item, Answer>[] = []
    let size = 0
    for (const one of waiting) {
      if (size > 0 && size + one.items.length > this.#most) {
        this.#deliver(together)
        together = []
        size = 0
      }
      together.push(one)
      size += one.items.length
    }
    this.#deliver(together)
  }

  #deliver(together: readonly Waiting<Item, Answer>[]): void {
    const [first] = together
    const items = together.length === 1 && first !== undefined ? first.items : together.flatMap((one) => one.items)
    this.#send(items).then(
      (answers) => {
        let at = 0
        for (const { items: own, resolve } of together) {
          resolve(answers.slice(at, at + own.length))
          at += own.length
        }
      },
      (error: unknown) => {
        for (const { reject } of together) reject(error)
      },
    )
  }
}
