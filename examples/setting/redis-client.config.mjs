/** Makes a client for locks, here and in the heartbeat's thread. */
// snippet: module
import { Redis } from 'ioredis'

export default () => new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', { connectionName: 'locks' })
// end
