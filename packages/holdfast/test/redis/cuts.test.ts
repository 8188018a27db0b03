/** Connections that are cut again and again, under load: nothing that is held is lost, nobody is forgotten, nothing leaks. */
import { getEventListeners, setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RedisServer, until } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { type Backend, type Holdfast, holdfast, type Lease } from '../../src/index.ts'

const WARM_UP = 3
/** After every second cut all may connect again; the others come while some do. */
const PAUSE_MS_MAX = 120
const TTL_MS = 6_000
const BEAT_MS = TTL_MS / 3
const HELD = 50
/** Processes, as it were, that wait for the same names in turn. */
const PARTIES = 3
const TURNS: readonly string[] = ['a', 'b', 'c', 'd']
const LOOK_MS = 10

let server: RedisServer
const endings: (() => unknown)[] = []
beforeEach(async () => {
  server = await RedisServer.start({ name: 'cut' })
})
afterEach(async () => {
  for (const ending of endings.splice(0)) await ending()
  await server.stop()
})

/** Those that listen as well; not the one that cuts, nor the one that watches as another user. */
async function cut(): Promise<void> {
  await server.ask('CLIENT', 'KILL', 'USER', 'default', 'SKIPME', 'yes')
}

interface Watch {
  /** When a claim was first seen to be in, by its id. */
  readonly sinceMs: ReadonlyMap<string, number>
  stop(): Promise<void>
}

/** Looks again and again who is in at the server, over a connection that is not cut. */
async function watch(): Promise<Watch> {
  await server.ask('ACL', 'SETUSER', 'watcher', 'on', '>secret', '~*', '&*', '+@all')
  const watcher = holdfast(redis(`redis://watcher:secret@${server.host}:${server.port}`), { namespace: 'cuts' })
  await watcher.ready()
  const sinceMs = new Map<string, number>()
  let going = true
  const looking = (async () => {
    while (going) {
      const lines = await Promise.all(TURNS.map((name) => watcher.inspect(name)))
      for (const { holders } of lines.flat()) {
        for (const { id } of holders) if (!sinceMs.has(id)) sinceMs.set(id, performance.now())
      }
      await pause(LOOK_MS)
    }
  })()
  return {
    sinceMs,
    async stop() {
      going = false
      await looking
      await watcher.close()
    },
  }
}

interface Turns {
  stop(): Promise<void>
  /** The longest time from when a claim was seen to be in at the server until its section began. */
  readonly worstMs: number
  readonly count: number
}

/** Sections of several parties on a few names: somebody always waits. */
function takeTurns(parties: readonly Holdfast[], signal: AbortSignal, sinceMs: ReadonlyMap<string, number>): Turns {
  let going = true
  const figures = { worstMs: 0, count: 0 }
  const inside = new Set<string>()
  const one = async (locks: Holdfast, name: string): Promise<void> => {
    while (going) {
      await locks.mutex(name, { fair: true }).run(
        async (lease) => {
          expect(inside.has(name)).toBe(false)
          inside.add(name)
          const nowMs = performance.now()
          figures.worstMs = Math.max(figures.worstMs, nowMs - (sinceMs.get(lease.id) ?? nowMs))
          await pause(2)
          expect(lease.signal.aborted).toBe(false)
          figures.count++
          inside.delete(name)
        },
        { wait: '30s', signal },
      )
    }
  }
  const work = Promise.all(parties.flatMap((locks) => TURNS.map((name) => one(locks, name))))
  work.catch(() => {})
  return {
    async stop() {
      going = false
      await work
    },
    get worstMs() {
      return figures.worstMs
    },
    get count() {
      return figures.count
    },
  }
}

/** What this process has open, but for what ends by itself in this very moment. */
function resources(): string {
  const names = process.getActiveResourcesInfo().filter((name) => !/^(Immediate|CloseReq|FSReq)/.test(name))
  return names.sort().join(' ')
}

interface Emitter {
  eventNames(): (string | symbol)[]
  listenerCount(name: string | symbol): number
}

function listenersOf(emitter: Emitter): string {
  const counts = emitter.eventNames().map((name) => `${String(name)} ${emitter.listenerCount(name)}`)
  return counts.sort().join(', ')
}

function handedIn(clients: Redis[]): Backend {
  const client = new Redis(server.port, server.host, { maxRetriesPerRequest: 0, retryStrategy: () => 20 })
  client.on('error', () => {})
  endings.push(() => client.disconnect())
  clients.push(client)
  return redis(client)
}

const own = (): Backend => redis(server.url)

test.each([
  { cuts: 200, whose: 'of our own', backend: own },
  { cuts: 50, whose: 'that is handed in', backend: handedIn },
])('$cuts cuts lose no lease, no waiter and no resource of a client $whose', async ({ cuts, backend }) => {
  const clients: Redis[] = []
  const options = { namespace: 'cuts', ttl: `${TTL_MS}ms` } as const
  const parties = Array.from({ length: PARTIES }, () => holdfast(backend(clients), options))
  const { signal } = new AbortController()
  setMaxListeners(100, signal)
  const leases: Lease[] = []
  for (let index = 0; index < HELD; index++) {
    leases.push(await (parties[index % PARTIES] as Holdfast).mutex(`held-${index}`).acquire({ signal }))
  }
  /** Each party has a connection for commands and one that listens. */
  const allConnected = async (): Promise<boolean> => {
    const users = String(await server.ask('CLIENT', 'LIST')).split('\n')
    return users.filter((line) => line.includes(' user=default ')).length === 2 * PARTIES + 1
  }
  const state = async (): Promise<string> => {
    await until('all are connected', allConnected)
    await until('all are up', () => parties.every((locks) => locks.status().link === 'up'))
    await pause(100)
    return [resources(), ...clients.map(listenersOf), getEventListeners(signal, 'abort').length].join('\n')
  }
  const load = async (count: number): Promise<Turns> => {
    const watching = await watch()
    const turns = takeTurns(parties, signal, watching.sinceMs)
    try {
      await until('all take turns', () => turns.count > 50)
      for (let number = 0; number < count; number++) {
        await cut()
        if (number % 2 === 0) await until('all are connected', allConnected)
        await pause(Math.random() * PAUSE_MS_MAX)
      }
      await until('many have been seen to hold', () => watching.sinceMs.size > 50)
    } finally {
      await turns.stop()
      await watching.stop()
    }
    return turns
  }
  await load(WARM_UP)
  const before = await state()
  const turns = await load(cuts)
  expect(await state()).toBe(before)
  for (const lease of leases) await lease.confirm()
  expect(turns.worstMs).toBeLessThan(BEAT_MS)
  await Promise.all(leases.map((lease) => lease.release()))
  await Promise.all(parties.map((locks) => locks.close()))
})
