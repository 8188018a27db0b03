/** The entry `holdfast/guard`: what the resource itself checks, so that a holder that was passed by others is refused. */
export type { Guard } from './guard.ts'
export { memoryGuard } from './memory-guard.ts'
export { type RedisGuard, type RedisWork, redisGuard } from './redis-guard.ts'
export type { IoredisScripts, NodeRedisScripts, RedisScripts, RedisValue } from './redis-scripts.ts'
export { guardTable, type SqlDialect } from './sql-dialect.ts'
export { type SqlGuardOptions, sqlGuard } from './sql-guard.ts'
