/**
 * The servers that run while the project `redis` is tested. They are shared by all its files: whoever stops, flushes or
 * counts a whole server starts one of its own.
 */
/// <reference path="./provided.d.ts" />
import { inject } from 'vitest'
import type { Address } from './resp.ts'

export interface GivenServers {
  /** What they say they are, such as `Redis 7.0.15`. */
  readonly version: string
  readonly standalone: Address
  /** TLS only; its user may touch `hf:*`. */
  readonly secure: Address
  readonly sentinel: { readonly name: string; readonly sentinels: readonly Address[] }
  /** All six nodes. */
  readonly cluster: readonly Address[]
  /** Five that do not know each other. */
  readonly quorum: readonly Address[]
}

export function givenServers(): GivenServers {
  return inject('redisServers')
}
