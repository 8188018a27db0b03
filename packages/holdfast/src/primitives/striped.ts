/** A fixed number of mutexes for any number of keys: two keys may share one, a key always has the same. */
import type { Lockable } from '../api.ts'
import { checkName, checkText } from '../names.ts'
import { whole } from '../options.ts'
import type { Home } from './home.ts'
import { mutex } from './mutex.ts'

const STRIPES_MAX = 65_536
const KEY_BYTES_MAX = 65_536

export function striped(home: Home, name: string, stripes: number): { for(key: string): Lockable } {
  whole('stripes', stripes, 1, STRIPES_MAX)
  checkName('name', `${checkName('name', name)}#${stripes - 1}`)
  return { for: (key) => mutex(home, `${name}#${fnv1a(checkText('key', key, KEY_BYTES_MAX)) % stripes}`) }
}

/** The 32-bit FNV-1a hash of the text's UTF-8 bytes (Fowler, Noll, Vo), the same in every process. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}
