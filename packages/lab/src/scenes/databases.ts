/** Scenes of databases: rows, connections and pools. */
import { Meter } from '../shop/meter.ts'
import { connectSql, numberOf } from '../shop/sql.ts'
import type { Scene } from './scene.ts'
import { isSold, type Stage } from './stage.ts'

const rowsInOppositeOrder: Scene = {
  name: 'rows-in-opposite-order',
  title: 'Two transactions lock the same two rows in opposite order',
  until: 'two transactions lock two rows in opposite order',
  cases: [
    { strategy: 'rows-as-they-come', expect: 'breaks' },
    { strategy: 'rows-in-order', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    await a.towards('locked the first row', 2_000)
    await b.towards('locked the first row', 500)
    const ends = await Promise.all([a.end(), b.end()])
    const failed = ends.some((end) => typeof end === 'object' && 'error' in end)
    const both = ends.every(isSold)
    return {
      broken: !both,
      says: failed
        ? 'The database saw a deadlock and ended one of the two.'
        : both
          ? 'B waited for A, and both sold.'
          : 'One never came through.',
    }
  },
}

const poolIsFull: Scene = {
  name: 'pool-is-full',
  title: 'All connections of the pool wait for the lock',
  until: 'the pool is full of waiters',
  cases: [
    { strategy: 'pool-of-waiters', expect: 'breaks' },
    { strategy: 'named-lock', expect: 'holds' },
    { strategy: 'one-statement-mariadb', expect: 'holds' },
  ],
  async play(stage) {
    const shop = await stage.process({ terms: { waitMs: 3_000 } })
    const [a, b] = await Promise.all([stage.customer('A', shop), stage.customer('B', shop)])
    await a.towards('holds the lock', 1_000)
    await b.towards('asks for the lock', 1_000)
    b.goOn()
    // The other connection is taken when its question has gone out.
    await stage.pass(200)
    const end = await a.end(1_500)
    const broken = end === 'nothing'
    return {
      broken,
      says: broken ? 'A has the lock and no connection; B has a connection and no lock.' : 'A sold, and B after it.',
    }
  },
}

const connectionIsCut: Scene = {
  name: 'connection-is-cut',
  title: 'The connection that holds the lock is cut',
  until: 'the connection of the lock is cut',
  cases: [
    { strategy: 'named-lock-apart', expect: 'breaks' },
    { strategy: 'named-lock', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    await a.to('paid')
    await cutHolder(stage)
    await b.end()
    await a.end()
    const lost = await stage.miscount()
    return {
      broken: lost > 0,
      says:
        lost > 0
          ? 'A went on without its lock, and wrote over what B had sold.'
          : 'The write of A failed with its connection.',
    }
  },
}

async function cutHolder(stage: Stage): Promise<void> {
  const sql = await connectSql('mariadb', stage.addresses, new Meter(), 1)
  try {
    const holder = numberOf(await sql.query('select is_used_lock(?) as holder', [stage.item]), 'holder')
    await sql.query(`kill ${holder}`)
    stage.says('the connection of the holder is cut')
  } finally {
    await sql.close()
  }
}

const oldRead: Scene = {
  name: 'old-read',
  title: 'A number that was read is old when it is written back',
  until: 'a read is old',
  cases: [
    { strategy: 'version-column', expect: 'holds' },
    { strategy: 'row-lock', expect: 'holds' },
    { strategy: 'row-lock-postgres', expect: 'holds' },
    { strategy: 'lease-table', expect: 'holds' },
    { strategy: 'advisory-lock', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b] = await stage.two()
    await a.to('paid')
    await b.end(500)
    await a.end()
    await b.end()
    const lost = await stage.miscount()
    const { wasted } = await stage.tally()
    const refused = wasted > 0 ? 'What A had read was old, so it tried again.' : 'B waited until A was done.'
    return { broken: lost > 0, says: lost > 0 ? 'A wrote over what B had sold.' : refused }
  },
}

export const DATABASE_SCENES: readonly Scene[] = [rowsInOppositeOrder, oldRead, poolIsFull, connectionIsCut]
