/** The name under which this machine appears to operators. */
import { hostname } from 'node:os'

let known: string | null = null

export function hostOf(): string {
  known ??= hostname().slice(0, 128) || 'unknown'
  return known
}
