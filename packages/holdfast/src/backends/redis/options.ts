/** What `redis()` is given: a URL, or options that say where the server is. Everything is checked at once. */
import { show } from '../../duration.ts'
import { type Address, type Host, parseRedisUrl } from '../redis-address.ts'

interface Login {
  /** The ACL user; without it the password is that of the default user. */
  readonly username?: string
  readonly password?: string
  /** True, or what Node's `tls.connect` takes, such as `{ ca }`. */
  readonly tls?: boolean | object
}

/** One server, or whatever the URL says. */
export interface RedisUrl {
  readonly url: string
  readonly tls?: boolean | object
}

/** The primary that Sentinel names. */
export interface RedisSentinels extends Login {
  readonly sentinels: readonly RedisHost[]
  /** What Sentinel calls the primary. */
  readonly name: string
  readonly db?: number
  readonly sentinelUsername?: string
  readonly sentinelPassword?: string
}

/** A cluster, found by some of its servers. */
export interface RedisCluster extends Login {
  readonly cluster: readonly RedisHost[]
}

export interface RedisHost {
  readonly host: string
  readonly port?: number
}

/** A module whose default export makes a client, so that a thread can make one as well. */
export interface RedisConnect {
  /** A `file:` URL, as `import.meta.resolve('./redis.mjs')` gives it, or an absolute path. */
  readonly connect: string
}

const KNOWN = {
  url: ['url', 'tls'],
  sentinels: ['sentinels', 'name', 'db', 'username', 'password', 'tls', 'sentinelUsername', 'sentinelPassword'],
  cluster: ['cluster', 'username', 'password', 'tls'],
}

/** Null: these are no options of ours. @throws {TypeError | RangeError} naming the option */
export function addressOf(given: object): Address | null {
  if ('url' in given) return urlAddress(given as RedisUrl)
  if ('sentinels' in given) return sentinelAddress(given as RedisSentinels)
  if ('cluster' in given) return clusterAddress(given as RedisCluster)
  return null
}

function urlAddress(given: RedisUrl): Address {
  requireKnown(given, KNOWN.url)
  const { url, tls } = given
  if (typeof url !== 'string') throw new TypeError(`url must be a string, not ${show(url)}`)
  const address = parseRedisUrl('url', url)
  return tls === undefined ? address : { ...address, tls: tlsOf(tls) }
}

function sentinelAddress(given: RedisSentinels): Address {
  requireKnown(given, KNOWN.sentinels)
  const { sentinels, name, db = 0 } = given
  if (typeof name !== 'string') throw new TypeError(`name must be a string, not ${show(name)}`)
  if (name === '') throw new RangeError('name must not be empty; it is what Sentinel calls the primary')
  if (typeof db !== 'number') throw new TypeError(`db must be a whole number, not ${show(db)}`)
  if (!Number.isInteger(db) || db < 0) throw new RangeError(`db must be a whole number from 0, not ${show(db)}`)
  return {
    ...loginOf(given),
    kind: 'sentinel',
    hosts: hostsOf('sentinels', sentinels, 26379),
    name,
    db,
    sentinelUsername: textOf('sentinelUsername', given.sentinelUsername),
    sentinelPassword: textOf('sentinelPassword', given.sentinelPassword),
  }
}

function clusterAddress(given: RedisCluster): Address {
  requireKnown(given, KNOWN.cluster)
  const none = { name: null, db: 0, sentinelUsername: null, sentinelPassword: null }
  return { ...loginOf(given), kind: 'cluster', hosts: hostsOf('cluster', given.cluster, 6379), ...none }
}

function loginOf({ username, password, tls = false }: Login): Pick<Address, 'username' | 'password' | 'tls'> {
  const login = { username: textOf('username', username), password: textOf('password', password) }
  if (login.username !== null && login.password === null) throw new TypeError('username needs a password')
  return { ...login, tls: tlsOf(tls) }
}

function tlsOf(tls: unknown): boolean | object {
  if (typeof tls === 'boolean' || (typeof tls === 'object' && tls !== null && !Array.isArray(tls))) return tls
  throw new TypeError(`tls must be true, false or options of tls.connect, not ${show(tls)}`)
}

/** Never shown: it may be a password. */
function textOf(option: string, value: unknown): string | null {
  if (value === undefined) return null
  if (typeof value !== 'string') throw new TypeError(`${option} must be a string, not ${typeof value}`)
  if (value === '' || value.includes('\0')) throw new RangeError(`${option} must be neither empty nor contain NUL`)
  return value
}

function hostsOf(option: string, given: unknown, otherwise: number): readonly Host[] {
  if (!Array.isArray(given)) throw new TypeError(`${option} must be an array of hosts, not ${show(given)}`)
  if (given.length === 0) throw new RangeError(`${option} must name a host at least`)
  return given.map((one: unknown) => {
    if (typeof one !== 'object' || one === null) {
      throw new TypeError(`${option} must have objects with host and port, not ${show(one)}`)
    }
    const { host, port = otherwise } = one as Partial<RedisHost>
    if (typeof host !== 'string') throw new TypeError(`host in ${option} must be a string, not ${show(host)}`)
    if (!/^[^\s/@]+$/.test(host)) throw new RangeError(`host in ${option} is ${show(host)}`)
    if (typeof port !== 'number') throw new TypeError(`port in ${option} must be a whole number, not ${show(port)}`)
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new RangeError(`port in ${option} must be from 1 to 65535, not ${show(port)}`)
    }
    return { host, port }
  })
}

function requireKnown(given: object, known: readonly string[]): void {
  for (const option of Object.keys(given)) {
    if (!known.includes(option)) throw new TypeError(`${show(option)} is no option here; there are ${known.join(', ')}`)
  }
}
