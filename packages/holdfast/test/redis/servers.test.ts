/** The servers, the proxy and the clock that the other tests rest on do what they say. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { givenServers } from '../../../../scripts/servers/given.ts'
import {
  type Address,
  FaultProxy,
  RedisAccess,
  RedisCluster,
  RedisServer,
  SentinelSet,
  SlotMove,
  until,
} from '../../../../scripts/servers/index.ts'

describe('one server', () => {
  test('is empty after a restart, unless it writes to disk', async () => {
    await using server = await RedisServer.start()
    await server.ask('SET', 'a', 1)
    await server.restart()
    expect(await server.keys()).toEqual([])

    server.args = ['--appendonly', 'yes', '--appendfsync', 'always']
    await server.restart()
    await server.ask('SET', 'a', 1)
    await server.restart()
    expect(await server.keys()).toEqual(['a'])
    await server.restart({ empty: true })
    expect(await server.keys()).toEqual([])
  })

  test('answers nothing while it is paused, and goes on after it', async () => {
    await using server = await RedisServer.start()
    server.pause()
    const answer = server.ask('PING')
    expect(await Promise.race([answer, sleep(200, 'silence')])).toBe('silence')
    server.resume()
    expect(await answer).toBe('PONG')
  })

  test('is refused a start that its arguments make fail, with its own words', async () => {
    await expect(RedisServer.start({ args: ['--no-such-setting', 1] })).rejects.toThrow(/no-such-setting/)
  })

  test('is not taken for another one that has its port', async () => {
    await using first = await RedisServer.start()
    await using second = new RedisServer(first.port)
    await expect(second.start()).rejects.toThrow(/Address already in use/)
    expect([first.running, second.running]).toEqual([true, false])
  })

  test('counts the commands it was given', async () => {
    await using server = await RedisServer.start()
    await server.ask('CONFIG', 'RESETSTAT')
    await server.ask('SET', 'a', 1)
    await server.ask('SET', 'b', 1)
    expect(await server.commandCounts()).toMatchObject({ set: 2 })
  })

  test('lives by a clock that moves while it runs, and only that clock moves', async () => {
    await using server = await RedisServer.start({ clockOffsetMs: -10_000 })
    const offsetMs = async (): Promise<number> => {
      const [seconds = 0] = ((await server.ask('TIME')) as string[]).map(Number)
      return seconds * 1000 - Date.now()
    }
    expect(await offsetMs()).toBeCloseTo(-10_000, -3.5)
    await server.ask('SET', 'a', 1, 'PX', 60_000)
    server.setClockOffset(60_000)
    expect(await offsetMs()).toBeCloseTo(60_000, -3.5)
    expect(await server.ask('GET', 'a')).toBe(null)
    expect(Number((await server.info('server')).uptime_in_seconds)).toBeLessThan(80)
  })
})

describe('the given servers', () => {
  const { secure, sentinel, cluster, quorum } = givenServers()

  test('a secure one lets its user touch its own keys only', async () => {
    const user = new RedisAccess(secure)
    expect(await user.ask('SET', 'hf:servers', 1)).toBe('OK')
    await expect(user.ask('SET', 'other', 1)).rejects.toThrow(/^NOPERM/)
    await expect(user.ask('FLUSHALL')).rejects.toThrow(/^NOPERM/)
    await user.ask('DEL', 'hf:servers')
    const { ca: _, ...plain } = secure
    await expect(new RedisAccess(plain).ask('PING')).rejects.toThrow()
  })

  test('sentinels, cluster and lone servers answer', async () => {
    const ask = (address: Address): Promise<unknown> => new RedisAccess(address).ask('PING')
    expect(await Promise.all([...cluster, ...quorum, ...sentinel.sentinels].map(ask))).toEqual(Array(14).fill('PONG'))
    expect(cluster).toHaveLength(6)
  })
})

describe('sets of servers', () => {
  test('sentinels fail over when the primary is killed, and when asked to', async () => {
    await using set = await SentinelSet.start()
    const first = await set.primary()
    expect(first).toBe(set.servers[0])
    await first.kill()
    const second = await set.promotedAfter(first)
    expect([await second.ask('SET', 'a', 1), second === first]).toEqual(['OK', false])
    const third = await set.failover()
    expect([await third.ask('GET', 'a'), third === second]).toEqual(['1', false])
  })

  test('a cluster fails over when asked to, and when a primary is killed', async () => {
    await using cluster = await RedisCluster.start()
    const slot = await cluster.slotOf('a')
    const first = await cluster.primaryOf(slot)
    const second = await cluster.failover(first)
    await cluster.settled()
    expect(await cluster.primaryOf(slot)).toBe(second)
    await second.kill()
    expect(await cluster.promotedAfter(second, slot)).toBe(first)
    await second.start()
    await cluster.settled()
  })

  test('a slot on its way has keys on both nodes', async () => {
    await using cluster = await RedisCluster.start({ replicas: 0 })
    const slot = await cluster.slotOf('{t}')
    const from = await cluster.primaryOf(slot)
    const to = cluster.nodes.find((node) => node !== from) ?? from
    await from.ask('MSET', '{t}1', 1, '{t}2', 2)
    const move = await SlotMove.begin(cluster, slot, to)
    await move.moveKeys(['{t}1'])
    expect(await move.keysLeft()).toEqual(['{t}2'])
    await expect(from.ask('GET', '{t}1')).rejects.toThrow(/^ASK/)
    await expect(from.ask('MGET', '{t}1', '{t}2')).rejects.toThrow(/^TRYAGAIN/)
    await move.end()
    expect(await to.ask('MGET', '{t}1', '{t}2')).toEqual(['1', '2'])
    expect(await cluster.primaryOf(slot)).toBe(to)
  })
})

describe('the proxy', () => {
  const through = async (work: (proxy: FaultProxy, server: RedisServer) => Promise<void>): Promise<void> => {
    await using server = await RedisServer.start()
    await using proxy = await FaultProxy.start(server)
    await work(proxy, server)
  }
  const silent = async (answer: Promise<unknown>): Promise<boolean> =>
    (await Promise.race([answer, sleep(150, 'silence')])) === 'silence'

  test('delays both ways', () =>
    through(async (proxy) => {
      proxy.delay(50)
      const startMs = performance.now()
      await new RedisAccess(proxy).ask('PING')
      expect(performance.now() - startMs).toBeGreaterThan(95)
    }))

  test('a hole up keeps requests back, a hole down answers, until it heals', () =>
    through(async (proxy, server) => {
      const client = new RedisAccess(proxy)
      proxy.hole('up')
      const first = client.ask('INCR', 'a')
      expect(await silent(first)).toBe(true)
      expect(await server.ask('GET', 'a')).toBe(null)
      proxy.heal()
      expect(await first).toBe(1)
      proxy.hole('down')
      const second = client.ask('INCR', 'a')
      expect(await silent(second)).toBe(true)
      expect(await server.ask('GET', 'a')).toBe('2')
      proxy.heal()
      expect(await second).toBe(2)
    }))

  test('a server does not hear through a hole that its client has gone', () =>
    through(async (proxy, server) => {
      const clients = async (): Promise<number> => Number((await server.info('clients')).connected_clients) - 1
      const socket = connect(proxy.port, proxy.host)
      await until('connected', async () => (await clients()) === 1)
      proxy.hole()
      socket.destroy()
      await sleep(100)
      expect([await clients(), proxy.connections]).toEqual([1, 0])
      proxy.heal()
      await until('gone', async () => (await clients()) === 0)
    }))

  test('cuts, refuses, and accepts again on the same port', () =>
    through(async (proxy) => {
      const client = new RedisAccess(proxy)
      proxy.hole()
      const answer = client.ask('PING')
      setTimeout(() => proxy.cut(), 50)
      await expect(answer).rejects.toThrow(/ECONNRESET/)
      await proxy.refuse()
      await expect(client.ask('PING')).rejects.toThrow(/ECONNREFUSED/)
      await proxy.accept()
      proxy.heal()
      expect(await client.ask('PING')).toBe('PONG')
    }))

  test('gives single requests a fate of their own', () =>
    through(async (proxy, server) => {
      const client = new RedisAccess(proxy)
      const counted = (): Promise<unknown> => server.ask('GET', 'a')
      proxy.onRequest = ([command]) => (command === 'INCR' ? 'lose' : 'pass')
      await expect(client.ask('INCR', 'a')).rejects.toThrow(/ECONNRESET/)
      expect([await client.ask('PING'), await counted()]).toEqual(['PONG', null])

      proxy.onRequest = () => 'swallow'
      await expect(client.ask('INCR', 'a')).rejects.toThrow(/ECONNRESET/)
      expect(await counted()).toBe('1')

      proxy.lateMs = 100
      proxy.onRequest = () => 'late'
      await expect(client.ask('INCR', 'a')).rejects.toThrow(/ECONNRESET/)
      expect(await counted()).toBe('1')
      await until('the late one arrives', async () => (await counted()) === '2')

      proxy.onRequest = () => 'twice'
      expect(await client.ask('INCR', 'a')).toBe(3)
      expect(await counted()).toBe('3')
      await until('the second one arrives', async () => (await counted()) === '4')
    }))
})
