/**
 * Leaves of one bucket that are made in the same turn of the event loop, as one call of `leave.lua`. They are sent when
 * the turn's promises have run, so that waiting for company costs no time.
 */
import type { ClaimKey, Ledger } from '../../port.ts'
import { gathered } from '../../turn.ts'
import { type Reply, serverMsOf } from './reply.ts'

type Left = Awaited<ReturnType<Ledger['leave']>>

interface Waiting {
  readonly bucket: number
  readonly claims: readonly ClaimKey[]
  readonly resolve: (left: Left) => void
  readonly reject: (error: unknown) => void
}

const TOGETHER_MAX = 128

export class Leaves {
  readonly #send: (bucket: number, args: readonly string[]) => Promise<Reply>
  readonly #add: (one: Waiting) => void = gathered((waiting) => this.#flush(waiting))

  constructor(send: (bucket: number, args: readonly string[]) => Promise<Reply>) {
    this.#send = send
  }

  leave(bucket: number, claims: readonly ClaimKey[]): Promise<Left> {
    return new Promise((resolve, reject) => this.#add({ bucket, claims, resolve, reject }))
  }

  #flush(waiting: readonly Waiting[]): void {
    const groups = new Map<number, { size: number; together: Waiting[] }>()
    for (const one of waiting) {
      const { bucket, claims } = one
      let group = groups.get(bucket)
      if (group !== undefined && group.size + claims.length > TOGETHER_MAX) {
        this.#deliver(bucket, group.together)
        group = undefined
      }
      group ??= { size: 0, together: [] }
      group.together.push(one)
      group.size += claims.length
      groups.set(bucket, group)
    }
    for (const [bucket, { together }] of groups) this.#deliver(bucket, together)
  }

  #deliver(bucket: number, together: readonly Waiting[]): void {
    const args: string[] = []
    for (const { claims } of together) for (const { id, line } of claims) args.push(id, line)
    this.#send(bucket, args).then(
      (reply) => {
        const serverMs = serverMsOf(reply)
        const found = (reply[2] as Reply).map((one) => Number(one) === 1)
        let at = 0
        for (const { claims, resolve } of together) {
          resolve({ serverMs, found: found.slice(at, at + claims.length) })
          at += claims.length
        }
      },
      (error: unknown) => {
        for (const { reject } of together) reject(error)
      },
    )
  }
}
