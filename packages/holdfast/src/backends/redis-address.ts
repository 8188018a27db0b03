/**
 * Where a Redis is and who we are there: read from a URL, or from options, into one form. Errors name the part that is
 * wrong and never show a password, nor anything that may be a piece of one.
 */
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { show } from '../duration.ts'

export interface Host {
  readonly host: string
  readonly port: number
}

export interface Address {
  readonly kind: 'server' | 'sentinel' | 'cluster'
  /** The server, the sentinels, or some of the cluster's servers. */
  readonly hosts: readonly Host[]
  /** What Sentinel calls the primary. */
  readonly name: string | null
  readonly username: string | null
  readonly password: string | null
  readonly db: number
  /** False: plain TCP. An object goes to Node's `tls.connect`. */
  readonly tls: boolean | object
  readonly sentinelUsername: string | null
  readonly sentinelPassword: string | null
}

const KINDS: ReadonlyMap<string, Address['kind']> = new Map([
  ['redis', 'server'],
  ['rediss', 'server'],
  ['redis+sentinel', 'sentinel'],
  ['rediss+sentinel', 'sentinel'],
  ['redis+cluster', 'cluster'],
  ['rediss+cluster', 'cluster'],
])
export const REDIS_SCHEMES: readonly string[] = [...KINDS.keys()]
/** Followed by the address of a module that makes a client. */
export const MODULE_SCHEME = 'redis+module'

const EXAMPLE = {
  server: 'redis://user:password@host:6379/0',
  sentinel: 'redis+sentinel://user:password@host1:26379,host2:26379/primary/0',
  cluster: 'redis+cluster://user:password@host1:6379,host2:6379',
}
const PORT = { server: 6379, sentinel: 26379, cluster: 6379 }
const URL_BYTES_MAX = 4096
const DB_MAX = 2 ** 31 - 1

/** @param option what the URL was given as @throws {RangeError} naming it, and the part that is wrong */
export function parseRedisUrl(option: string, url: string): Address {
  const [, scheme = '', slashes, rest = ''] = /^([a-z+]*):(\/\/)?([\s\S]*)$/.exec(url) ?? []
  const kind = KINDS.get(scheme) ?? 'server'
  const wrong = (what: string): RangeError =>
    new RangeError(`${option} must be a URL such as '${EXAMPLE[kind]}': ${what}`)
  if (!KINDS.has(scheme)) throw wrong(`there are the schemes ${REDIS_SCHEMES.map((name) => `${name}:`).join(' ')}`)
  if (slashes === undefined) throw wrong(`'//' must follow '${scheme}:'`)
  if (Buffer.byteLength(url) > URL_BYTES_MAX) throw wrong(`it has more than ${URL_BYTES_MAX} bytes`)
  if (/[\0-\x20\x7f\ud800-\udfff]/.test(rest))
    throw wrong('blanks, control and half characters must be percent-encoded')
  const cut = /[/?#]/.exec(rest)?.index ?? rest.length
  if (rest.includes('@', cut)) throw wrong("'/', '?' and '#' in user or password must be percent-encoded")
  const at = rest.lastIndexOf('@', cut)
  const [path = '', ...more] = rest.slice(cut).split(/[?#]/)
  if (more.length > 0) throw wrong("nothing may follow '?' or '#'")
  return {
    kind,
    ...loginOf(at < 0 ? null : rest.slice(0, at), wrong),
    hosts: hostsOf(rest.slice(at + 1, cut), kind, wrong),
    ...placeOf(path, kind, wrong),
    tls: scheme.startsWith('rediss'),
    sentinelUsername: null,
    sentinelPassword: null,
  }
}

type Wrong = (what: string) => RangeError

function loginOf(text: string | null, wrong: Wrong): Pick<Address, 'username' | 'password'> {
  if (text === null) return { username: null, password: null }
  const cut = text.indexOf(':')
  if (cut < 0) throw wrong('a user needs a password: user:password@, or :password@ without a user')
  try {
    const [username, password] = [text.slice(0, cut), text.slice(cut + 1)].map(decodeURIComponent)
    return { username: username || null, password: password || null }
  } catch {
    throw wrong('user or password is not percent-encoded as it should be')
  }
}

function hostsOf(text: string, kind: Address['kind'], wrong: Wrong): readonly Host[] {
  const hosts = text.split(',').map((one) => hostOf(one, PORT[kind], wrong))
  if (kind === 'server' && hosts.length > 1) {
    throw wrong('it names several hosts; for those there are redis+sentinel: and redis+cluster:')
  }
  return hosts
}

/** Shown in errors: what stands here can be no password, for an '@' would follow it. */
function hostOf(text: string, otherwise: number, wrong: Wrong): Host {
  const [, host, digits] = /^(\[[\da-fA-F:.]+\]|[^:[\]]*)(?::(.*))?$/.exec(text) ?? []
  if (host === undefined || host === '') throw wrong(`host is ${show(text)}`)
  const port = digits === undefined ? otherwise : /^\d+$/.test(digits) ? Number(digits) : Number.NaN
  if (!(port >= 1 && port <= 65_535)) throw wrong(`port must be from 1 to 65535, not ${show(digits)}`)
  return { host: host.replace(/^\[|\]$/g, ''), port }
}

function placeOf(path: string, kind: Address['kind'], wrong: Wrong): Pick<Address, 'name' | 'db'> {
  const parts = path.split('/').slice(1)
  if (parts.at(-1) === '') parts.pop()
  const name = kind === 'sentinel' ? decoded(parts.shift() ?? '', wrong) : null
  if (name === '') throw wrong("the name that Sentinel has for the primary must follow the hosts, as in '/primary'")
  const [db = '0', ...more] = parts
  if (more.length > 0) throw wrong(`too much follows the hosts: ${show(path)}`)
  if (!/^\d+$/.test(db) || Number(db) > DB_MAX) throw wrong(`the database must be a whole number, not ${show(db)}`)
  if (kind === 'cluster' && Number(db) !== 0) throw wrong(`a cluster has the database 0 only, not ${show(db)}`)
  return { name, db: Number(db) }
}

function decoded(text: string, wrong: Wrong): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrong(`the primary's name is not percent-encoded as it should be: ${show(text)}`)
  }
}

/** A module that makes a client, as a URL. @throws {TypeError | RangeError} naming the option */
export function moduleOf(option: string, module: unknown): string {
  if (typeof module !== 'string') throw new TypeError(`${option} must be the address of a module, not ${show(module)}`)
  if (isAbsolute(module) && !/[\0\ud800-\udfff]/.test(module)) return pathToFileURL(module).href
  if (/^file:\/\/\/[\x21-\x7e]+$/.test(module)) return module
  throw new RangeError(
    `${option} must be a file: URL, as import.meta.resolve('./redis.mjs') gives it, or an absolute path, not ${show(module)}`,
  )
}

/** The URL of an address, for another thread; null: a URL cannot say all of it. */
export function redisUrlOf(address: Address): string | null {
  const { kind, hosts, name, username, password, db, tls, sentinelUsername, sentinelPassword } = address
  if (typeof tls === 'object' || sentinelUsername !== null || sentinelPassword !== null) return null
  const scheme = `${tls ? 'rediss' : 'redis'}${kind === 'server' ? '' : `+${kind}`}`
  const login = password === null ? '' : `${encodeURIComponent(username ?? '')}:${encodeURIComponent(password)}@`
  const places = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
  const path = name === null ? `/${db}` : `/${encodeURIComponent(name)}/${db}`
  return `${scheme}://${login}${places.join(',')}${path}`
}

/** A URL as it may be shown: without what may be a password. */
export function masked(url: string): string {
  return url.replace(/:(\/\/)?[\s\S]*@/, ':$1…@')
}
