/** What the set-up of the project `redis` hands to its tests. */
import type { GivenServers } from './given.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly redisServers: GivenServers
  }
}
