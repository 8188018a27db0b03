/**
 * Free ports for servers. They lie below the range from which the system gives ports to outgoing connections: one of
 * that range can be taken by any connection while its server is down, and a restart on the same port would then fail.
 */
import { createServer } from 'node:net'

export const HOST = '127.0.0.1'

const FIRST = 12_000
const COUNT = 20_000
const TRIES_MAX = 200

const given = new Set<number>()

/** A port on which nobody listens now. Another process may take it first: who starts a server must be ready to ask again. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port between ${FIRST} and ${FIRST + COUNT} after ${TRIES_MAX} tries`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ host: HOST, port, exclusive: true }, () => probe.close(() => resolve(true)))
  })
}
