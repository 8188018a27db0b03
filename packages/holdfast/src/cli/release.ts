/** `holdfast release`: by its id a lock that `acquire` left, by force whatever stands in the way. */
import type { Holdfast } from '../index.ts'
import { type Answer, NO_TEXT, type Place } from './answer.ts'
import { EXIT } from './exit-code.ts'
import { refusal } from './flags.ts'
import type { ReleaseOrder } from './orders.ts'
import { quoted } from './visible-text.ts'

export async function release(locks: Holdfast, order: ReleaseOrder, place: Place): Promise<Answer> {
  const { name, id, force } = order
  const released = force
    ? await (id === null ? locks.forceRelease(name) : locks.forceRelease(name, id))
    : await releaseById(locks, name, id ?? '')
  const missed = id !== null && released === 0
  const exitCode = missed ? EXIT.lost : EXIT.done
  return {
    exitCode,
    document: { outcome: missed ? 'lost' : 'released', exitCode, ...place, id, force, released },
    text: NO_TEXT,
    remarks: remarksOf(order, released, place),
  }
}

/** The id says nothing of the kind of lock, so both kinds that can be acquired are asked. */
async function releaseById(locks: Holdfast, name: string, id: string): Promise<number> {
  try {
    if (await locks.mutex(name).release(id)) return 1
    return (await locks.semaphore(name, { capacity: 1 }).release(id)) ? 1 : 0
  } catch (error) {
    // What an id looks like is the library's business; that this is none is the user's.
    throw error instanceof TypeError ? refusal('id', id) : error
  }
}

function remarksOf({ id, force }: ReleaseOrder, released: number, place: Place): readonly string[] {
  if (id !== null && released === 0) return [`${quoted(place.name)} is not held by ${quoted(id)} any more`]
  if (!force) return []
  if (released === 0) return [`nobody holds ${quoted(place.name)}`]
  return [`${released} ${released === 1 ? 'holder' : 'holders'} of ${quoted(place.name)} ended by force`]
}
