/** A write that the database refuses when its writer has been passed by another: the fence is checked, not only hoped. */
import './setting/temporary-folder.mjs'
import { holdfast, isHoldfastError } from 'holdfast'
// snippet: guard
import { guardTable, sqlGuard } from 'holdfast/guard'
import Database from 'libsql'

const db = new Database('./shop.db')
db.exec(guardTable('sqlite', 'guards')) // with the other tables; does nothing if it is there
db.exec("insert into guards (resource) values ('doc:9') on conflict do nothing") // with the row it guards

const guard = sqlGuard({
  dialect: 'sqlite',
  table: 'guards',
  key: 'doc:9',
  run: async (tx, sql, params) => tx.prepare(sql).run(...params).changes,
})

async function append(db, lease, text) {
  db.exec('begin immediate')
  try {
    await guard.enter(db, lease) // before the first read
    const { body } = db.prepare('select body from docs where id = 9').get()
    db.prepare('update docs set body = ? where id = 9').run(body + text)
    db.exec('commit')
  } catch (error) {
    db.exec('rollback')
    throw error
  }
}
// end
db.exec("create table docs (id integer primary key, body text); insert into docs values (9, 'first')")

// Two processes. The first is paused for too long; here an operator takes the lock from it.
const one = holdfast('sqlite:./locks.db', { namespace: 'docs' })
const two = holdfast('sqlite:./locks.db', { namespace: 'docs' })
const paused = await one.mutex('doc:9').acquire()
await two.forceRelease('doc:9')
await two.mutex('doc:9').run((lease) => append(new Database('./shop.db'), lease, ', second'))

try {
  await append(db, paused, ', too late')
} catch (error) {
  if (!isHoldfastError(error, 'STALE_FENCE')) throw error
  console.log(`refused, a newer holder has been here: ${error.fence > paused.fence}`)
}
console.log(db.prepare('select body from docs').get().body)
await Promise.all([one.close(), two.close()])

// prints
// refused, a newer holder has been here: true
// first, second
