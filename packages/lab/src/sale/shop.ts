/**
 * One server of the sale: `POST /buy` sells one piece, `GET /stats` tells how the lock was taken. A purchase reads the
 * stock, waits for the payment, and writes the stock back: the race that a lock is for.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Lease, Lockable } from 'holdfast'
import { nowMs } from './moment.ts'
import type { Shelf } from './shelf.ts'
import type { Takes } from './takes.ts'

/** How long the payment takes. */
const PAYMENT_MS = 1
/** Longer than any act. */
const IDLE_MS_MAX = 120_000

export interface ShopOptions {
  readonly shelf: Shelf
  /** Null: sell without a lock. */
  readonly lock: Lockable | null
  readonly takes: () => Takes
  /** Called inside each purchase with what is left, before the payment; awaited. */
  readonly beforePayment: (left: number) => Promise<void>
}

export function createShop(options: ShopOptions): Server {
  const { lock } = options
  const buy = (): Promise<boolean> =>
    lock === null ? sellOne(options, null) : lock.run((lease) => sellOne(options, lease))
  const server = createServer((request, response) => {
    request.resume()
    void answer(request, buy, options.takes).then(
      ({ status, body }) => send(response, status, body),
      (error: unknown) => send(response, 503, { error: error instanceof Error ? error.message : String(error) }),
    )
  })
  // A connection that is closed for being idle while the next request is on its way would look like a death.
  server.keepAliveTimeout = IDLE_MS_MAX
  return server
}

/** Sells one piece; false when there is none left. */
async function sellOne({ shelf, beforePayment }: ShopOptions, lease: Lease | null): Promise<boolean> {
  const turnAtMs = nowMs()
  const left = shelf.left()
  if (left === 0) return false
  await beforePayment(left)
  await pause(PAYMENT_MS)
  lease?.assertHeld()
  shelf.writeBack(left - 1, { pid: process.pid, turnAtMs, fence: lease?.fence ?? null })
  return true
}

async function answer(request: IncomingMessage, buy: () => Promise<boolean>, takes: () => Takes): Promise<Answer> {
  const route = `${request.method} ${request.url}`
  if (route === 'POST /buy') return { status: 200, body: { sold: await buy() } }
  if (route === 'GET /stats') return { status: 200, body: { pid: process.pid, ...takes() } }
  return { status: 404, body: { error: `nothing at ${route}` } }
}

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

function send(response: ServerResponse, status: number, body: Answer['body']): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
