/**
 * Real servers for tests and benchmarks, each a child process on 127.0.0.1 with a free port and its files in one
 * temporary folder. They end with the process that started them.
 */
export { makeCertificate } from './certificate.ts'
export { FaultProxy } from './fault-proxy.ts'
export { newFolder, removeRunFolder, runFolder } from './folder.ts'
export { freePort, HOST } from './port.ts'
export { requirePrograms } from './programs.ts'
export type { Fate } from './proxy-link.ts'
export type { Direction } from './proxy-way.ts'
export { RedisAccess, strings } from './redis-access.ts'
export { RedisCluster, type RedisClusterOptions, type SeenNode } from './redis-cluster.ts'
export { RedisServer, type RedisServerOptions } from './redis-server.ts'
export { type Address, type Reply, ReplyError } from './resp.ts'
export { SECURE_PASSWORD, SECURE_RULES, SECURE_USER, startSecureServer } from './secure-server.ts'
export { SentinelSet, type SentinelSetOptions } from './sentinel-set.ts'
export { SlotMove } from './slot-move.ts'
export { until } from './until.ts'
