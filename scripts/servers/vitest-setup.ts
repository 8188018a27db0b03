/** Starts what `given.ts` promises before the first test of the project `redis`, and stops it after the last one. */
import type { TestProject } from 'vitest/node'
import { removeRunFolder } from './folder.ts'
import type { GivenServers } from './given.ts'
import { compileShim } from './movable-clock.ts'
import { requirePrograms } from './programs.ts'
import type { RedisAccess } from './redis-access.ts'
import { RedisCluster } from './redis-cluster.ts'
import { RedisServer } from './redis-server.ts'
import type { Address } from './resp.ts'
import { SECURE_PASSWORD, SECURE_USER, startSecureServer } from './secure-server.ts'
import { SentinelSet } from './sentinel-set.ts'

const QUORUM_NODES = 5
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const startMs = performance.now()
  requirePrograms(['redis-server', 'redis-sentinel', 'openssl', 'cc'])
  // Here, in one process, so that no test has to wait for a package or for the compiler.
  compileShim()
  endWithSignals()
  const started: { stop(): Promise<void> }[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((server) => server.stop()))
    removeRunFolder()
  }
  const kept = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const server = await starting
    started.push(server)
    return server
  }
  try {
    const given = await startGiven(kept)
    requireVersion(given.version)
    project.provide('redisServers', given)
    process.stderr.write(`${given.version}: servers ready in ${((performance.now() - startMs) / 1000).toFixed(1)} s\n`)
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}

async function startGiven(
  kept: <T extends { stop(): Promise<void> }>(starting: Promise<T>) => Promise<T>,
): Promise<GivenServers> {
  const quorum = Array.from({ length: QUORUM_NODES }, (_, index) =>
    kept(RedisServer.start({ name: `quorum-${index + 1}` })),
  )
  const all = [
    kept(RedisServer.start({ name: 'standalone' })),
    kept(startSecureServer()),
    kept(SentinelSet.start()),
    kept(RedisCluster.start()),
    Promise.all(quorum),
  ] as const
  // Nothing may still be starting when a failure is told: it would be left behind.
  await Promise.allSettled(all)
  const [standalone, secure, sentinel, cluster, lone] = await Promise.all(all)
  return {
    version: await versionOf(standalone),
    standalone: standalone.address,
    secure: { ...secure.address, username: SECURE_USER, password: SECURE_PASSWORD },
    sentinel: { name: sentinel.name, sentinels: sentinel.sentinels.map(addressOf) },
    cluster: cluster.nodes.map(addressOf),
    quorum: lone.map(addressOf),
  }
}

const addressOf = ({ address }: RedisAccess): Address => address

async function versionOf(server: RedisAccess): Promise<string> {
  const { valkey_version: valkey, redis_version: redis = 'unknown' } = await server.info('server')
  return valkey === undefined ? `Redis ${redis}` : `Valkey ${valkey}`
}

/** Who asks for another server must not be shown the results of the usual one. */
function requireVersion(version: string): void {
  const wanted = process.env.HOLDFAST_REDIS_VERSION
  if (wanted === undefined || version.startsWith(`${wanted}.`)) return
  throw new Error(`the servers are to be ${wanted}, and are ${version}`)
}

/** Ctrl-C runs no teardown: the servers end with this process, and its folder is taken away here. */
function endWithSignals(): void {
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      removeRunFolder()
      process.kill(process.pid, signal)
    })
  }
}
