/**
 * What the backend needs of a Redis client, whichever it is. An adapter makes a `Wire` of a client that somebody else
 * owns, or of one of our own; it reconfigures nothing, defines no commands and resends nothing.
 */
import type { Script } from './script.ts'

/** So many replicas must have a take within the limit. */
export interface Replication {
  readonly count: number
  readonly limitMs: number
}

export interface Wire {
  /** Who made the client; it is named in errors and warnings. */
  readonly driver: string
  /** Many servers, of which each keeps some of the buckets. */
  readonly cluster: boolean
  /** A failover may follow where a server says that it is a replica: under Sentinel and in a cluster. */
  readonly failsOver: boolean
  /** Connections in use now. */
  readonly connections: number
  /** Settings that will hurt, in words; nothing is changed. */
  readonly warnings: readonly string[]
  /** Resolves when there is a connection. Rejects within bounded time. */
  ready(): Promise<void>
  /**
   * Runs a script on the server that keeps its keys: by digest, and with its text on that same server when it does not
   * know it. Rejects at once while there is no connection, for what waits in a client's queue would take effect later.
   */
  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown>
  /** What a server says of itself; in a cluster, any of them. */
  info(section: string): Promise<string>
  /** As `run`, and then waits for so many replicas to have it; gives how many have. */
  runReplicated(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    replicas: Replication,
  ): Promise<{ readonly reply: unknown; readonly acknowledged: number }>
  /**
   * Receives what is published on the channels, over a connection of its own. Resolves when all of it arrives from now
   * on; `onGap` is told when some may have been missed, after the connection is back.
   */
  subscribe(channels: readonly string[], onMessage: (message: string) => void, onGap: () => void): Promise<Subscription>
  /** Ends what was made here; a client that was handed in stays open. Settles within bounded time. */
  close(): Promise<void>
}

export interface Subscription {
  close(): Promise<void>
}
