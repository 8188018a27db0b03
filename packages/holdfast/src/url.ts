/**
 * Backends named by a URL. The backend's code is loaded at the first connection, so that nobody pays for those that
 * they do not use.
 */
import { resolve } from 'node:path'
import { asBackend, type Backend, portOf } from './backend.ts'
import { QUORUM_LACKS, QUORUM_SCHEMES, quorumNodes } from './backends/quorum-address.ts'
import { MODULE_SCHEME, masked, moduleOf, parseRedisUrl, REDIS_SCHEMES } from './backends/redis-address.ts'
import { show } from './duration.ts'
import { BackendUnavailableError } from './errors.ts'
import { checkText } from './names.ts'
import type { Lack, Port } from './port.ts'

interface Scheme {
  readonly kind: string
  readonly ttlMsMin: number
  readonly lacks?: readonly Lack[]
  /** Called with what was settled. */
  readonly load: (target: string) => Promise<Backend>
  /** Called with what follows the scheme. */
  readonly check: (target: string) => void
  /** Made independent of what may change until it is loaded. */
  readonly settle: (target: string) => string
}

/** The longest path that Linux takes. */
const PATH_BYTES_MAX = 4096

function redisScheme(name: string): [string, Scheme] {
  const isModule = name === MODULE_SCHEME
  return [
    name,
    {
      kind: 'redis',
      ttlMsMin: 0,
      load: async (target) => (await import('./backends/redis/index.ts')).redis(`${name}:${target}`),
      settle: (target) => target,
      check: (target) => void (isModule ? moduleOf('target', target) : parseRedisUrl('target', `${name}:${target}`)),
    },
  ]
}

function quorumScheme(name: string): [string, Scheme] {
  return [
    name,
    {
      kind: 'quorum',
      ttlMsMin: 0,
      lacks: QUORUM_LACKS,
      load: async (target) => {
        const [{ quorum }, { redis }] = await Promise.all([
          import('./backends/quorum/index.ts'),
          import('./backends/redis/index.ts'),
        ])
        const nodes = quorumNodes('target', name, target)
        return quorum(nodes.map((node) => asBackend({ ...portOf(redis(node.url)), name: node.name })))
      },
      settle: (target) => target,
      check: (target) => void quorumNodes('target', name, target),
    },
  ]
}

const SCHEMES: ReadonlyMap<string, Scheme> = new Map([
  ...QUORUM_SCHEMES.map(quorumScheme),
  ...[...REDIS_SCHEMES, MODULE_SCHEME].map(redisScheme),
  [
    'sqlite',
    {
      kind: 'sqlite',
      ttlMsMin: 0,
      load: async (target: string) => (await import('./backends/sqlite/index.ts')).sqlite(target),
      settle: (target: string) => resolve(target),
      check: (target: string) => {
        if (target === '' || target === ':memory:')
          throw new RangeError(
            `target needs a file such as 'sqlite:./locks.db', not ${show(`sqlite:${target}`)}; for one process take 'memory:'`,
          )
        checkText('target', target, PATH_BYTES_MAX)
        // What stands behind two slashes is a host in a URL, and a file has none: `//./m.db` would be `/m.db`.
        if (/^\/\/(?!\/)/.test(target)) {
          throw new RangeError(
            `target must be 'sqlite:./locks.db' for a relative path or 'sqlite:///folder/locks.db' for an absolute one, not ${show(`sqlite:${target}`)}`,
          )
        }
        if (target.includes('?')) {
          throw new RangeError(
            `target has no parameters for SQLite, and a path with a question mark needs sqlite(path), not ${show(`sqlite:${target}`)}`,
          )
        }
      },
    },
  ],
  [
    'memory',
    {
      kind: 'memory',
      ttlMsMin: 0,
      load: async () => (await import('./backends/memory/index.ts')).memory(),
      settle: (target: string) => target,
      check: (target: string) => {
        if (target !== '') throw new RangeError(`target 'memory:' has nothing behind the colon, not ${show(target)}`)
      },
    },
  ],
])

/** @throws {RangeError} for a scheme that is not known, or a target that the scheme cannot use */
export function backendOf(url: string): Backend {
  const cut = url.indexOf(':')
  const scheme = SCHEMES.get(url.slice(0, Math.max(cut, 0)))
  if (scheme === undefined) {
    throw new RangeError(
      `target must be a URL that begins with ${[...SCHEMES.keys()].map((name) => `${name}:`).join(' or ')}, such as 'sqlite:./locks.db', not ${show(masked(url))}`,
    )
  }
  const target = url.slice(cut + 1)
  scheme.check(target)
  // The two slashes of an empty host.
  return lazily(scheme, scheme.settle(target.replace(/^\/\/(?=\/)/, '')))
}

function lazily({ kind, ttlMsMin, lacks = [], load }: Scheme, target: string): Backend {
  let loaded: Promise<Port> | null = null
  let port: Port | null = null
  return asBackend({
    kind,
    ttlMsMin,
    lacks,
    get worker() {
      return port?.worker ?? null
    },
    async connect(setup) {
      loaded ??= load(target).then(portOf)
      try {
        port = await loaded
      } catch (error) {
        loaded = null
        throw error instanceof Error ? error : new BackendUnavailableError(String(error))
      }
      return port.connect(setup)
    },
  })
}
