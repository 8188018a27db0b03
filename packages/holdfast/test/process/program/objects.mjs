/** The Holdfast objects of a party and the lockable things on them, by the names that the test gave. */
import { holdfast } from 'holdfast'
import { sqlite } from 'holdfast/sqlite'
import { openDatabase } from './database.mjs'

const objects = new Map()

/** `how`: `url`, `file` (`sqlite(file)`) or `database` (an open database object, by the driver that is named). */
export async function makeObject({ object = 'main', file, how = 'url', driver, options }) {
  const target = how === 'url' ? `sqlite:${file}` : sqlite(how === 'file' ? file : await openDatabase(file, driver))
  objects.set(object, holdfast(target, { namespace: 'process', ...options }))
}

export function objectOf(object = 'main') {
  const found = objects.get(object)
  if (found === undefined) throw new TypeError(`there is no object "${object}"`)
  return found
}

export function forgetObject(object = 'main') {
  objects.delete(object)
}

const KINDS = {
  mutex: (locks, { name }) => locks.mutex(name),
  reentrant: (locks, { name }) => locks.mutex(name, { reentrant: true }),
  fair: (locks, { name }) => locks.mutex(name, { fair: true }),
  read: (locks, { name }) => locks.rwlock(name).read(),
  write: (locks, { name }) => locks.rwlock(name).write(),
  semaphore: (locks, { name, capacity }) => locks.semaphore(name, { capacity }),
  all: (locks, { names }) => locks.all(names.map((name) => locks.mutex(name))),
  striped: (locks, { name, stripes, key }) => locks.striped(name, stripes).for(key),
  election: (locks, { name }) => locks.election(name),
}

export function thingOf(object, thing) {
  const make = KINDS[thing.kind]
  if (make === undefined) throw new TypeError(`there is no kind "${thing.kind}"`)
  return make(objectOf(object), thing)
}
