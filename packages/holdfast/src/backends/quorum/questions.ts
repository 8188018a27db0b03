/** What is asked of all nodes, or of those that have a claim, and is true when a majority says so. */
import { BackendRefusedError, isHoldfastError, QuorumError } from '../../errors.ts'
import type { Amendment, Standing } from '../../port.ts'
import { type Answer, votesOf } from './ballot.ts'
import { type Claim, majorityOf, type Stand } from './claim.ts'
import type { Node } from './node.ts'

/** An open claim: the majority-th longest of its ends. */
interface Kept {
  readonly remainingMs: number | null
}

export class Questions {
  readonly #nodes: readonly Node[]
  readonly #majority: number

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes
    this.#majority = majorityOf(nodes.length)
  }

  /** Resolves when a majority of the nodes has done it. @throws {QuorumError | BackendRefusedError} */
  majority<T>(what: string, work: (node: Node) => Promise<T>): Promise<readonly T[]> {
    return new Promise((resolve, reject) => {
      const answers: Answer[] = this.#nodes.map(() => 'unknown')
      const done: T[] = []
      let failed = 0
      for (const [index, node] of this.#nodes.entries()) {
        work(node).then(
          (value) => {
            answers[index] = 'yes'
            done.push(value)
            if (done.length === this.#majority) resolve([...done])
          },
          (error: unknown) => {
            if (isHoldfastError(error, 'BACKEND_REFUSED')) answers[index] = 'no'
            failed++
            if (failed === this.#nodes.length - this.#majority + 1) reject(this.#failure(what, answers, error))
          },
        )
      }
    })
  }

  /** Null: a majority has it not. @throws {QuorumError} */
  ask(claim: Claim): Promise<Kept | null> {
    const stands = claim.stands.filter(({ state, seat }) => state === 'open' && !seat.gone)
    return this.#each(claim, stands, async ({ id, line, seat }) => {
      const answer = await seat.node.call((ledger) => ledger.ask(seat, [{ id, line }]))
      if (answer.state === 'told') return answer.standings[0] ?? { state: 'gone' }
      seat.gone = true
      return { state: 'gone' }
    })
  }

  /** `fail`: told of nodes that did not confirm it once a majority has; what stands there does not count any more. */
  async amend(claim: Claim, change: Amendment, fail: (stand: Stand) => void): Promise<Kept | null> {
    const { order = claim.order } = change
    if (change.weight !== undefined) claim.weight = Math.min(claim.weight, change.weight)
    const late: Stand[] = []
    let done = false
    // Where it is still on its way, it is changed when it has come.
    const stands = claim.stands.filter(({ state, seat }) => state !== 'over' && !seat.gone)
    const kept = await this.#each(claim, stands, async (stand) => {
      const { id, line, seat } = stand
      try {
        await stand.entered
        if (stateOf(stand) === 'over') return { state: 'gone' }
        const answer = await seat.node.call((ledger) => ledger.amend(seat, { id, line }, change))
        if (answer.state === 'session-gone') {
          seat.gone = true
          return { state: 'gone' }
        }
        stand.order = Math.max(stand.order, order)
        return answer
      } catch (error) {
        if (done) fail(stand)
        else late.push(stand)
        throw error
      }
    })
    done = true
    if (kept !== null) {
      claim.order = Math.max(claim.order, order)
      for (const stand of late) fail(stand)
    }
    return kept
  }

  #each(claim: Claim, stands: readonly Stand[], ask: (stand: Stand) => Promise<Standing>): Promise<Kept | null> {
    return new Promise((resolve, reject) => {
      const open: (number | null)[] = []
      let left = stands.length
      let unknown = 0
      const told = (error?: unknown): void => {
        left--
        if (open.length >= this.#majority) return resolve({ remainingMs: longest(open, this.#majority) })
        if (open.length + left + unknown < this.#majority) return resolve(null)
        if (left === 0) reject(this.#failure('confirmed the claim', this.#answersOf(claim), error))
      }
      if (stands.length < this.#majority) return resolve(null)
      for (const stand of stands) {
        ask(stand).then(
          (standing) => {
            if (standing.state === 'open') open.push(standing.remainingMs)
            else stand.state = 'over'
            told()
          },
          (error: unknown) => {
            unknown++
            told(error)
          },
        )
      }
    })
  }

  #answersOf(claim: Claim): readonly Answer[] {
    return this.#nodes.map((node) => {
      const stand = claim.stands.find(({ seat }) => seat.node === node)
      return stand?.state === 'over' ? 'no' : 'unknown'
    })
  }

  #failure(what: string, answers: readonly Answer[], cause: unknown): Error {
    const names = this.#nodes.map(({ name }) => name)
    const refused = answers.filter((answer) => answer === 'no').length
    if (refused > this.#nodes.length - this.#majority && isHoldfastError(cause, 'BACKEND_REFUSED')) {
      return new BackendRefusedError(`too many nodes of the quorum will not do it: ${cause.message}`, { cause })
    }
    return new QuorumError(`no majority of ${names.length} nodes ${what}`, votesOf(names, answers), { cause })
  }
}

/** Read anew: an await may have changed it, which the compiler does not know. */
function stateOf(stand: Stand): Stand['state'] {
  return stand.state
}

function longest(ends: readonly (number | null)[], majority: number): number | null {
  const sorted = ends.map((end) => end ?? Number.POSITIVE_INFINITY).sort((a, b) => b - a)
  const end = sorted[majority - 1] ?? 0
  return end === Number.POSITIVE_INFINITY ? null : end
}
