/** One server of a sale: `POST /buy` sells one piece. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Buy, Sale } from '../strategies/strategy.ts'

/** Longer than any sale: a connection that is closed for being idle while a request is on its way looks like a death. */
const IDLE_MS_MAX = 120_000

/** Resolves with the port once it listens. */
export async function serveBuyers(buy: Buy): Promise<number> {
  const server = createServer((request, response) => {
    request.resume()
    if (`${request.method} ${request.url}` !== 'POST /buy') return send(response, 404, { error: 'POST /buy' })
    buy().then(
      (sale) => send(response, sale === 'busy' ? 503 : 200, { sale }),
      (error: unknown) => send(response, 500, { error: error instanceof Error ? error.message : String(error) }),
    )
  })
  server.keepAliveTimeout = IDLE_MS_MAX
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function send(response: ServerResponse, status: number, body: { readonly sale?: Sale; readonly error?: string }): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
