/** Loaded ahead of a program in each of its threads: those that are not the main one are warned of two experiments. */
import { isMainThread } from 'node:worker_threads'

/** By then the thread has begun its work. */
const LATER_MS = 300

if (!isMainThread) {
  setTimeout(() => {
    process.emitWarning('SQLite is an experimental feature of a thread', 'ExperimentalWarning')
    process.emitWarning('Fire is an experimental feature of a thread', 'ExperimentalWarning')
  }, LATER_MS).unref()
}
