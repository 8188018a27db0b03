/**
 * The Redis guard on a real server, through each client: the rule of all guards, and what is its own, namely that
 * check and write are one step.
 */
import { Redis as Redis6 } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import { createClient as createClient6 } from 'redis'
import { createClient as createClient5 } from 'redis5'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RedisServer } from '../../../../scripts/servers/redis-server.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { BackendRefusedError, StaleFenceError } from '../../src/errors.ts'
import { type RedisScripts, redisGuard } from '../../src/guards/index.ts'
import { holdfast } from '../../src/holdfast.ts'
import { exclusive, permit, shared } from '../guards/leases.ts'
import { describeRule } from '../guards/rule.ts'

const server = await RedisServer.start({ name: 'guarded' })
afterAll(() => server.stop())

const ioredis6 = new Redis6(server.port, server.host)
const ioredis5 = new Redis5(server.port, server.host)
const node6 = createClient6({ url: server.url })
const node5 = createClient5({ url: server.url })
beforeAll(async () => {
  await Promise.all([node6.connect(), node5.connect()])
})
afterAll(() => {
  for (const client of [ioredis6, ioredis5]) client.disconnect()
  for (const client of [node6, node5]) client.destroy()
})

const clients: readonly (readonly [string, RedisScripts])[] = [
  ['ioredis 6', ioredis6],
  ['ioredis 5', ioredis5],
  ['node-redis 6', node6],
  ['node-redis 5', node5],
]
let keys = 0

for (const [name, client] of clients) {
  describeRule(`the Redis guard through ${name}`, () => {
    const guard = redisGuard(client, `resource ${keys++}`)
    return (lease) => guard.enter(undefined, lease)
  })
}

describe.each(clients)('through %s', (_, client) => {
  beforeEach(() => server.ask('FLUSHALL'))

  test('the value is set by a holder that is not passed, and stays as it was when one is that was', async () => {
    const guard = redisGuard(client, 'doc:9')
    await guard.set(exclusive(5n), 'first')
    await guard.set(exclusive(7n), 'second')
    const late = guard.set(exclusive(6n), 'too late')
    await expect(late).rejects.toBeInstanceOf(StaleFenceError)
    await expect(late).rejects.toMatchObject({ fence: 7n, message: expect.stringContaining('"door"') })
    expect(await server.ask('GET', 'doc:9')).toBe('second')
  })

  test('a holder that only entered, and wrote nothing yet, shuts out the one before', async () => {
    const guard = redisGuard(client, 'doc:9')
    await guard.set(exclusive(5n), 'first')
    await guard.enter(undefined, exclusive(7n))
    await expect(guard.set(exclusive(5n), 'too late')).rejects.toMatchObject({ fence: 7n })
    expect(await server.ask('GET', 'doc:9')).toBe('first')
  })

  test('work runs with the value as its first key, and with keys and arguments of its own', async () => {
    const guard = redisGuard(client, 'doc:9')
    const append = "redis.call('APPEND', KEYS[1], ARGV[1]) redis.call('RPUSH', KEYS[2], ARGV[1]) return {#KEYS, #ARGV}"
    for (const text of ['a', 'b']) {
      expect(await guard.run(exclusive(5n), append, { keys: ['log'], args: [text] })).toEqual([2, 1])
    }
    expect(await server.ask('GET', 'doc:9')).toBe('ab')
    expect(await server.ask('LRANGE', 'log', 0, -1)).toEqual(['a', 'b'])
  })

  test('the work of a holder that was passed does not run', async () => {
    const guard = redisGuard(client, 'doc:9')
    await guard.enter(undefined, exclusive(7n))
    const late = guard.run(exclusive(6n), "return redis.call('SET', KEYS[1], 'too late')")
    await expect(late).rejects.toMatchObject({ code: 'STALE_FENCE', fence: 7n })
    expect(await server.ask('EXISTS', 'doc:9')).toBe(0)
  })

  test('work may read under a read lease', async () => {
    const guard = redisGuard(client, 'doc:9')
    await guard.set(exclusive(5n), 'first')
    expect(await guard.run(shared(6n), "return redis.call('GET', KEYS[1])")).toBe('first')
    await expect(guard.set(exclusive(5n), 'too late')).rejects.toMatchObject({ fence: 6n })
  })

  test('what the work returns is the answer: nothing, a number, a list, a text that looks like a refusal', async () => {
    const guard = redisGuard(client, 'doc:9')
    const answer = (script: string): Promise<unknown> => guard.run(exclusive(5n), script)
    expect(await answer('')).toBeFalsy()
    expect(await answer('return nil')).toBeFalsy()
    expect(await answer('return 12 -- a remark')).toBe(12)
    expect(await answer("return {'stale', '9'}")).toEqual(['stale', '9'])
    expect(await answer("return 'damaged'")).toBe('damaged')
  })

  test('an error of the work comes through as the client tells it', async () => {
    const guard = redisGuard(client, 'doc:9')
    await expect(guard.run(exclusive(5n), "return redis.error_reply('ERR no')")).rejects.toThrow(/^ERR no/)
    await expect(guard.run(exclusive(5n), "return redis.call('INCR', KEYS[1], 1)")).rejects.toThrow('Wrong number')
    await expect(guard.run(exclusive(5n), 'return (')).rejects.toThrow('Error compiling script')
  })

  test('a server that has forgotten the scripts gets them again', async () => {
    const guard = redisGuard(client, 'doc:9')
    await guard.set(exclusive(5n), 'first')
    await server.ask('SCRIPT', 'FLUSH')
    await guard.set(exclusive(5n), 'second')
    await server.ask('CONFIG', 'RESETSTAT')
    await guard.set(exclusive(5n), 'third')
    const counts = await server.commandCounts()
    expect(counts).toMatchObject({ evalsha: 1, set: 1 })
    expect(counts).not.toHaveProperty('eval')
  })

  test('bytes and texts of any kind are kept as they are', async () => {
    const guard = redisGuard(client, 'doc:9 %{ \n€😀')
    const text = '\0 €😀\r\n'
    await guard.set(exclusive(5n), text)
    expect(await server.ask('GET', 'doc:9 %{ \n€😀')).toBe(text)
    await guard.set(exclusive(5n), new Uint8Array([0, 0x24, 0x0d, 0x0a, 0x41, 0]).subarray(1, 5))
    expect(await server.ask('GET', 'doc:9 %{ \n€😀')).toBe('$\r\nA')
  })
})

describe('the fences', () => {
  beforeEach(() => server.ask('FLUSHALL'))

  test('are two fields of a hash in decimal, which entering again does not touch', async () => {
    const guard = redisGuard(ioredis6, 'doc:9')
    await guard.enter(undefined, shared(2n ** 63n - 2n))
    await guard.enter(undefined, exclusive(2n ** 63n - 1n))
    const fields = ['readFence', '9223372036854775806', 'writeFence', '9223372036854775807']
    expect(await server.ask('HGETALL', guard.fencesKey)).toEqual(fields)
    await server.ask('CONFIG', 'RESETSTAT')
    await guard.enter(undefined, exclusive(2n ** 63n - 1n))
    expect(await server.commandCounts()).not.toHaveProperty('hset')
  })

  test('of two keys are never shared, also where one is the hash tag of the other', async () => {
    await redisGuard(ioredis6, 'x').enter(undefined, exclusive(9n))
    for (const key of ['{x}', 'x:x', 'of:x', '{x}:of', 'of:{x}', '{of:x}']) {
      await redisGuard(ioredis6, key).enter(undefined, exclusive(5n))
    }
    expect(await server.keys('hf:1:guard:*')).toHaveLength(7)
  })

  test('of another kind, or changed by somebody into no number, are refused by the name of their key', async () => {
    const guard = redisGuard(ioredis6, 'doc:9')
    for (const junk of ['007', '1e5', '-1', '', '1.5', 'nothing']) {
      await server.ask('HSET', guard.fencesKey, 'writeFence', junk)
      const entering = guard.set(exclusive(5n), 'x')
      await expect(entering).rejects.toBeInstanceOf(BackendRefusedError)
      await expect(entering).rejects.toThrow('hf:1:guard:{doc:9}')
    }
    await server.ask('SET', guard.fencesKey, 'no hash')
    await expect(guard.set(exclusive(5n), 'x')).rejects.toThrow('WRONGTYPE')
    expect(await server.ask('EXISTS', 'doc:9')).toBe(0)
  })
})

describe('leases of Redis', () => {
  test('a holder that was passed cannot write between the read and the write of the next', async () => {
    await server.ask('FLUSHALL')
    await server.ask('SET', 'balance', 100)
    const [first, second] = [
      holdfast(redis(ioredis6), { namespace: 'accounts' }),
      holdfast(redis(ioredis6), { namespace: 'accounts' }),
    ]
    try {
      const guard = redisGuard(node6, 'balance')
      const old = await first.mutex('account').acquire()
      await guard.enter(undefined, old)
      await second.forceRelease('account')
      const next = await second.mutex('account').acquire()
      await guard.enter(undefined, next)
      const seen = Number(await node6.get('balance'))
      await expect(guard.set(old, '101')).rejects.toMatchObject({ code: 'STALE_FENCE', fence: next.fence })
      await guard.set(next, String(seen + 10))
      expect(await node6.get('balance')).toBe('110')
    } finally {
      await Promise.all([first.close(), second.close()])
    }
  })
})

describe('when the server will not', () => {
  test('without memory a write is refused whole, and nobody has entered', async () => {
    await server.ask('FLUSHALL')
    const guard = redisGuard(ioredis6, 'doc:9')
    await guard.set(exclusive(5n), 'first')
    await server.ask('CONFIG', 'SET', 'maxmemory', 1)
    try {
      await expect(guard.set(exclusive(7n), 'second')).rejects.toThrow('OOM')
    } finally {
      await server.ask('CONFIG', 'SET', 'maxmemory', 0)
    }
    await guard.set(exclusive(6n), 'third')
    expect(await server.ask('GET', 'doc:9')).toBe('third')
  })

  test('what waits in the queue of a client that is cut off is checked when it arrives, not when it was sent', async () => {
    await server.ask('FLUSHALL')
    const slow = new Redis6(server.port, server.host, { lazyConnect: true })
    const queued = redisGuard(slow, 'doc:9')
      .set(exclusive(5n), 'too late')
      .catch((error: unknown) => error)
    try {
      await redisGuard(ioredis6, 'doc:9').set(exclusive(7n), 'second')
      await slow.connect().catch(() => {})
      expect(await queued).toMatchObject({ code: 'STALE_FENCE', fence: 7n })
    } finally {
      slow.disconnect()
    }
  })
})

describe('misuse', () => {
  const wrongClients = [undefined, null, 5, 'redis://127.0.0.1', {}, { eval() {} }, { evalsha() {} }]
  test.each(wrongClients)('what is no client (%j) is refused by name', (client) => {
    expect(() => redisGuard(client as RedisScripts, 'doc:9')).toThrow(TypeError)
    expect(() => redisGuard(client as RedisScripts, 'doc:9')).toThrow(/^client must be/)
  })

  test.each([
    [undefined, TypeError],
    [5, TypeError],
    ['', RangeError],
    ['a\0b', RangeError],
    ['k'.repeat(513), RangeError],
    // A cluster hashes these whole, and no hash tag can say that.
    ['a}b', RangeError],
    ['{}a', RangeError],
  ])('the key %j is refused by name', (key, kind) => {
    expect(() => redisGuard(ioredis6, key as string)).toThrow(kind)
    expect(() => redisGuard(ioredis6, key as string)).toThrow(/^key must/)
  })

  test('leases, values, scripts, keys and arguments that cannot be meant reach no server', async () => {
    await server.ask('FLUSHALL')
    const guard = redisGuard(ioredis6, 'doc:9')
    const lease = exclusive(5n)
    await expect(guard.set(permit(null), 'x')).rejects.toThrow('{ slot: true }')
    await expect(guard.set(shared(5n), 'x')).rejects.toThrow(/^lease must be one to write/)
    await expect(guard.set(undefined as never, 'x')).rejects.toThrow(/^lease must/)
    await expect(guard.set(lease, 5 as never)).rejects.toThrow(/^value must be a string or bytes, not 5/)
    await expect(guard.set(lease, undefined as never)).rejects.toThrow(/^value must/)
    await expect(guard.run(lease, 5 as never)).rejects.toThrow(/^script must/)
    await expect(guard.run(lease, '', 5 as never)).rejects.toThrow(/^work must/)
    await expect(guard.run(lease, '', { keys: 'log' as never })).rejects.toThrow(/^keys must be an array/)
    await expect(guard.run(lease, '', { keys: ['log', 5 as never] })).rejects.toThrow(/^keys\[1\] must/)
    await expect(guard.run(lease, '', { args: [null as never] })).rejects.toThrow(/^args\[0\] must/)
    expect(await server.keys()).toEqual([])
  })
})
