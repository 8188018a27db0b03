/**
 * What a quorum is known to be before its code is loaded: what it lacks, how many nodes it has, and how a URL names them.
 * All nodes of a URL share what stands before and behind their hosts.
 */
import { show } from '../duration.ts'
import type { Lack } from '../port.ts'
import { masked, parseRedisUrl } from './redis-address.ts'

/** The schemes, and that of each of their nodes. */
const NODE_SCHEME: ReadonlyMap<string, string> = new Map([
  ['redis+quorum', 'redis'],
  ['rediss+quorum', 'rediss'],
])
export const QUORUM_SCHEMES: readonly string[] = [...NODE_SCHEME.keys()]

export const QUORUM_LACKS: readonly Lack[] = ['order', 'permits', 'cells', 'elections', 'detached']
export const QUORUM_NODES = { min: 3, max: 32 } as const

export interface NodeAddress {
  readonly name: string
  readonly url: string
}

/** The nodes that a URL names. @throws {RangeError} naming what is wrong with it */
export function quorumNodes(option: string, scheme: string, target: string): readonly NodeAddress[] {
  const [, login = '', hosts = '', path = ''] = /^\/\/([^/?#]*@)?([^/?#]*)([\s\S]*)$/.exec(target) ?? []
  const names = hosts.split(',')
  const { min, max } = QUORUM_NODES
  if (names.length < min || names.length > max) {
    throw new RangeError(
      `${option} must name ${min} to ${max} nodes, as in '${scheme}://h1:6379,h2:6379,h3:6379', not ${show(masked(`${scheme}:${target}`))}`,
    )
  }
  const nodes = names.map((name) => ({ name, url: `${NODE_SCHEME.get(scheme)}://${login}${name}${path}` }))
  const places = nodes.map(({ url }) => {
    const [host] = parseRedisUrl(option, url).hosts
    return `${host?.host}:${host?.port}`
  })
  const twice = places.find((place, index) => places.indexOf(place) < index)
  if (twice !== undefined)
    throw new RangeError(`${option} must name different nodes, and ${show(twice)} is there twice`)
  return nodes
}
