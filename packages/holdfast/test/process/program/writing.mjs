/** Orders about the file itself, past the library: a write transaction of somebody else, and one that waits for its end. */
import { openDatabase } from './database.mjs'

let database = null

/** Takes the write lock and keeps it. */
export async function beginWrite({ file }) {
  database = await openDatabase(file)
  database.exec('pragma busy_timeout = 2000')
  database.exec('begin immediate')
}

export function endWrite() {
  database.exec('commit')
  database.close()
}
