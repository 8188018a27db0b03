/** The stock of an item in Redis, and connections whose commands are counted. */
import { Redis } from 'ioredis'
import { type SentinelAddress, there } from './addresses.ts'
import type { Meter } from './meter.ts'
import type { OpenStock } from './stock.ts'

export async function connectRedis(url: string, meter: Meter): Promise<Redis> {
  const { hostname: host, port } = new URL(url)
  return counted(new Redis({ host, port: Number(port), ...QUIET }), meter)
}

export function connectSentinel({ sentinels, name }: SentinelAddress, meter: Meter): Promise<Redis> {
  return counted(new Redis({ sentinels: [...sentinels], name, ...QUIET }), meter)
}

/** A server that is gone is a result here, and no reason to try for ever. */
const QUIET = { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => 50 } as const

/** Connects it; each command that it sends is counted. */
async function counted(redis: Redis, meter: Meter): Promise<Redis> {
  redis.on('error', () => {})
  await redis.connect()
  const send = redis.sendCommand.bind(redis)
  redis.sendCommand = (command, stream) => {
    meter.sent()
    return send(command, stream)
  }
  return redis
}

export const openRedisStock: OpenStock = async (item, { redis: url }, meter) =>
  stockIn(await connectRedis(there(url, 'Redis'), meter), item)

export function stockIn(redis: Redis, item: string): Awaited<ReturnType<OpenStock>> {
  const [left, receipts] = [`${item}:left`, `${item}:receipts`]
  return {
    fill: async (pieces) => void (await redis.set(left, pieces)),
    left: async () => Number(await redis.get(left)),
    writeBack: async (pieces) => void (await redis.multi().set(left, pieces).rpush(receipts, process.pid).exec()),
    books: async () => ({ left: Number(await redis.get(left)), sold: await redis.llen(receipts) }),
    close: async () => redis.disconnect(),
  }
}
