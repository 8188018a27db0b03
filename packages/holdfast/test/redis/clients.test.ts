/** Each client library, in each version, on each topology: what is handed in works, and is left as it was. */
import { afterAll, describe, expect, test } from 'vitest'
import { givenServers } from '../../../../scripts/servers/given.ts'
import { RedisAccess } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { type Holdfast, holdfast } from '../../src/index.ts'
import { libraries, type Made } from './libraries.ts'

const given = givenServers()
const standalone = new RedisAccess(given.standalone)
let namespaces = 0

function locksOver({ client }: Made, options: object = {}): Holdfast {
  return holdfast(redis(client), { namespace: `clients-${process.pid}-${namespaces++}`, ttl: '5s', ...options })
}

/** One takes, the other waits and is told. */
async function handedOver(first: Holdfast, second: Holdfast, name: string): Promise<void> {
  const held = await first.mutex(name).acquire()
  const waiting = second.mutex(name).acquire({ wait: '10s' })
  await new Promise((resolve) => setTimeout(resolve, 200))
  const releasedMs = performance.now()
  await held.release()
  const next = await waiting
  expect(performance.now() - releasedMs, 'told, and not found out at a beat').toBeLessThan(1000)
  expect(next.fence > held.fence).toBe(true)
  await next.release()
}

const topologies = ['alone', 'sentinel', 'cluster'] as const

describe.each(libraries)('$name', (library) => {
  describe.each(topologies)('%s', (topology) => {
    const made: Made[] = []
    const make = async (options?: object): Promise<Made> => {
      const one =
        topology === 'alone'
          ? await library.alone(given.standalone.port, options)
          : await library[topology](given, options)
      made.push(one)
      return one
    }
    afterAll(() => Promise.all(made.map((one) => one.end())))

    test('takes, waits, is told and gives back', async () => {
      const [one, other] = [await make(), await make()]
      const namespace = `clients-${process.pid}-${namespaces++}`
      const [first, second] = [locksOver(one, { namespace }), locksOver(other, { namespace })]
      for (const name of ['a', 'b', 'c']) await handedOver(first, second, name)
      expect(first.status().connections).toBeGreaterThan(0)
      await Promise.all([first.close(), second.close()])
    })

    test('after close the client has the listeners and the process the resources that were there before', async () => {
      const one = await make()
      await new Promise((resolve) => setTimeout(resolve, 100))
      const use = async (): Promise<void> => {
        const locks = locksOver(one)
        await handedOver(locks, locks, 'x')
        await locks.close()
      }
      await use()
      await new Promise((resolve) => setTimeout(resolve, 200))
      const before = { listeners: one.listeners(), resources: resources() }
      await use()
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect({ listeners: one.listeners(), resources: resources() }).toEqual(before)
    })

    test('a script that a server has not in its cache is sent in full', async () => {
      const locks = locksOver(await make())
      await locks.ready()
      const servers = topology === 'cluster' ? given.cluster : [given.standalone]
      if (topology !== 'sentinel') await Promise.all(servers.map((one) => new RedisAccess(one).ask('SCRIPT', 'FLUSH')))
      await locks.mutex('x').run(() => {})
      await locks.close()
    })
  })

  test('a database other than 0 is heeded, also by what listens', async () => {
    const options = library.family === 'ioredis' ? { db: 5 } : { database: 5 }
    const one = await library.alone(given.standalone.port, options)
    const locks = locksOver(one)
    await handedOver(locks, locks, 'x')
    const held = await locks.mutex('y').acquire()
    await standalone.ask('PING')
    const info = await standalone.info('keyspace')
    expect(Object.keys(info)).toContain('db5')
    await held.release()
    await locks.close()
    await one.end()
  })

  test('texts come as texts, whatever the client makes of them for its owner', async () => {
    const options =
      library.family === 'ioredis'
        ? { stringNumbers: true }
        : { commandOptions: { typeMapping: { 36: Buffer, 58: String, 43: Buffer } } }
    const one = await library.alone(given.standalone.port, options)
    const locks = locksOver(one)
    const held = await locks.mutex('x').acquire({ label: 'é' })
    const [line] = await locks.inspect('x')
    expect(line?.holders.map(({ label, fence }) => ({ label, fence }))).toEqual([{ label: 'é', fence: held.fence }])
    await locks.close()
    await one.end()
  })
})

/** What keeps the process busy, without what the test runner has. */
function resources(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => name.startsWith('TCP') || name === 'TLSWrap')
    .sort()
}

const prefixed = libraries.filter(({ name }) => name !== 'redis 5')
describe.each(prefixed)('$name with a key prefix', (library) => {
  test.each(['alone', 'cluster'] as const)('%s: every key begins with it', async (topology) => {
    const options = { keyPrefix: `app-${process.pid}:` }
    const one =
      topology === 'alone' ? await library.alone(given.standalone.port, options) : await library.cluster(given, options)
    const locks = locksOver(one)
    await handedOver(locks, locks, 'x')
    const held = await locks.mutex('y').acquire()
    const servers = topology === 'alone' ? [standalone] : given.cluster.map((address) => new RedisAccess(address))
    const keys = (await Promise.all(servers.map((server) => server.keys(`app-${process.pid}:hf:*`)))).flat()
    expect(keys.length).toBeGreaterThan(0)
    await held.release()
    await locks.close()
    await one.end()
  })
})
