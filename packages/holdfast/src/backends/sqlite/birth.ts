/**
 * The birth of a database file. Whatever log and index lie beside a file that is not there would be read into the next
 * one, so they are taken away; but only by one process at a time, which makes the file in the same go. Between a look
 * and a removal another process could have made the file, and would go on with a log and an index that nobody else has.
 */
import { closeSync, mkdirSync, openSync, renameSync, rmdirSync, statSync } from 'node:fs'
import type { Clock } from '../../clock.ts'
import { BirthUnderWay } from './failure.ts'
import { identityOf, removeLeftovers } from './place.ts'

/** What it takes is a handful of calls; whoever was at it for so long has died. */
const STALE_MS = 10_000

/** Makes the file, empty, if there is none. @throws {BirthUnderWay} */
export function makeFile(file: string, clock: Pick<Clock, 'wallMs'>): void {
  if (identityOf(file) !== null) return
  alone(file, clock, () => {
    // Looked at again, for another process may have made it since.
    if (identityOf(file) !== null) return
    removeLeftovers(file)
    closeSync(openSync(file, 'wx', 0o644))
  })
}

/** Runs `work` while no other process does the like for this file. @throws {BirthUnderWay} */
export function alone(file: string, clock: Pick<Clock, 'wallMs'>, work: () => void): void {
  const folder = `${file}-birth`
  try {
    mkdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return wait(folder, clock)
    // A folder that cannot be written to: opening the file tells what is wrong.
    return
  }
  try {
    work()
  } catch {
    // As above: opening tells, and makes the file if it can.
  }
  remove(folder)
}

function wait(folder: string, clock: Pick<Clock, 'wallMs'>): never {
  const sinceMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
  if (clock.wallMs() - sinceMs > STALE_MS) takeAway(folder, `${folder}-${process.pid}`)
  throw new BirthUnderWay('another process is making the file')
}

/** Renamed first, so that of several processes only one takes away what the dead one left. */
function takeAway(folder: string, aside: string): void {
  try {
    renameSync(folder, aside)
  } catch {
    return
  }
  remove(aside)
}

function remove(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Taken away by somebody who thought us dead.
  }
}
