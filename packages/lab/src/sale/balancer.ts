/**
 * A round-robin balancer: one port in front of all servers of the sale, and a few lines long. A request that a dying
 * server may have begun is answered 502 and never sent twice; one that could not even connect goes to the next server.
 */
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Balancer {
  readonly url: string
  close(): void
}

interface Upstream {
  readonly port: number
  readonly agent: Agent
  up: boolean
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const upstreams = ports.map((port): Upstream => ({ port, agent: new Agent({ keepAlive: true }), up: true }))
  let turn = 0
  const next = (): Upstream | undefined => {
    const up = upstreams.filter((one) => one.up)
    turn += 1
    return up[turn % up.length]
  }
  const server = createServer((request, response) => forward(request.resume(), response, next))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
      for (const { agent } of upstreams) agent.destroy()
    },
  }
}

function forward(request: IncomingMessage, response: ServerResponse, next: () => Upstream | undefined): void {
  const upstream = next()
  if (upstream === undefined) {
    refuse(response, 'no server is up')
    return
  }
  const { port, agent } = upstream
  const { method, url: path } = request
  const sent = send({ host: '127.0.0.1', port, agent, method, path }, (answer) => {
    const type = answer.headers['content-type']
    response.writeHead(answer.statusCode ?? 502, type === undefined ? {} : { 'content-type': type })
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  sent.on('error', (error: NodeJS.ErrnoException) => {
    upstream.up = upstream.up && error.code !== 'ECONNREFUSED'
    if (error.code === 'ECONNREFUSED') forward(request, response, next)
    else refuse(response, 'the server died with the request')
  })
  sent.end()
}

function refuse(response: ServerResponse, error: string): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}
