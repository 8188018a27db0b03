/**
 * Where things are kept: a namespace is cut into buckets, and all keys of a bucket share its hash tag, so that whatever
 * one script touches is in one slot of a cluster. Keys begin with `hf:` and carry the layout's number.
 */
/** A power of two. */
export const BUCKETS = 16
export const LAYOUT = 1
/** Keys and channels of everybody; what an ACL must allow. */
export const PREFIX = 'hf:'

/** The keys that scripts about lines get, and where the cells of the bucket are. */
export interface Bucket {
  readonly number: number
  readonly keys: readonly [head: string, ends: string, index: string, book: string]
  readonly cell: (name: string) => string
  readonly members: (name: string) => string
  readonly op: (id: string) => string
}

export interface Keys {
  readonly buckets: readonly Bucket[]
  /** Changes of cells and of lines that are watched as a whole. */
  readonly news: string
}

export function keysOf(namespace: string): Keys {
  const tag = escaped(namespace)
  const buckets = Array.from({ length: BUCKETS }, (_, number): Bucket => {
    // Without the layout's number: another layout must find it, and see that it is not its own.
    const base = `${PREFIX}{${tag}:${number}}:`
    const own = `${base}${LAYOUT}:`
    return {
      number,
      keys: [`${base}head`, `${own}ends`, `${own}index`, `${own}book`],
      cell: (name) => `${own}cell:${name}`,
      members: (name) => `${own}set:${name}`,
      op: (id) => `${own}op:${id}`,
    }
  })
  return { buckets, news: `${PREFIX}${LAYOUT}:news:${tag}` }
}

/** The channel of one client: hints about its claims. */
export function channelOf(clientId: string): string {
  return `${PREFIX}${LAYOUT}:of:${clientId}`
}

/** Always the same for a name, in every process and version: FNV-1a over its UTF-16 units, folded. */
export function bucketOf(name: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return ((hash >>> 16) ^ hash) & (BUCKETS - 1)
}

/** Braces would cut the hash tag short. */
function escaped(namespace: string): string {
  return namespace.replace(/[%{}]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}
