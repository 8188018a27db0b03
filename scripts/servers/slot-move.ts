/**
 * One slot of a cluster on its way from its primary to another node. In between, the keys that were moved are found on
 * the new node (`ASK`), those that were not on the old one, and a script that wants both is told `TRYAGAIN`.
 */
import { strings } from './redis-access.ts'
import type { RedisCluster } from './redis-cluster.ts'
import type { RedisServer } from './redis-server.ts'
import { all } from './together.ts'

const MIGRATE_MS_MAX = 5_000

export class SlotMove {
  readonly slot: number
  readonly from: RedisServer
  readonly to: RedisServer
  readonly #cluster: RedisCluster

  constructor(cluster: RedisCluster, slot: number, from: RedisServer, to: RedisServer) {
    this.#cluster = cluster
    this.slot = slot
    this.from = from
    this.to = to
  }

  /** Opens the slot on both nodes; no key is moved yet. */
  static async begin(cluster: RedisCluster, slot: number, to: RedisServer): Promise<SlotMove> {
    const from = await cluster.primaryOf(slot)
    if (from === to) throw new RangeError(`${to.name} serves slot ${slot} already`)
    const [source, target] = await all([from, to], async (node) => String(await node.ask('CLUSTER', 'MYID')))
    await to.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source ?? '')
    await from.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target ?? '')
    return new SlotMove(cluster, slot, from, to)
  }

  /** The keys of the slot that are still on its old node. */
  async keysLeft(): Promise<readonly string[]> {
    return strings(await this.from.ask('CLUSTER', 'GETKEYSINSLOT', this.slot, 1_000_000)).sort()
  }

  /** Moves these keys, or all that are left. */
  async moveKeys(keys?: readonly string[]): Promise<void> {
    const moved = keys ?? (await this.keysLeft())
    if (moved.length === 0) return
    await this.from.ask('MIGRATE', this.to.host, this.to.port, '', 0, MIGRATE_MS_MAX, 'KEYS', ...moved)
  }

  /** Moves what is left and gives the slot to its new node. */
  async end(): Promise<void> {
    const id = String(await this.to.ask('CLUSTER', 'MYID'))
    while ((await this.keysLeft()).length > 0) await this.moveKeys()
    // The new owner first: there is never a moment in which nobody serves the slot.
    await this.to.ask('CLUSTER', 'SETSLOT', this.slot, 'NODE', id)
    await this.from.ask('CLUSTER', 'SETSLOT', this.slot, 'NODE', id)
    await this.#cluster.agreed()
    const owner = await this.#cluster.primaryOf(this.slot)
    if (owner !== this.to) throw new Error(`slot ${this.slot} went to ${owner.name}, not to ${this.to.name}`)
  }
}
