/**
 * A party of the process tests: does what it is ordered to over IPC and says what it believes, one line of JSON at a
 * time. What it says is written synchronously, so that also a party that never comes back to its event loop is heard.
 */

import * as aborting from './program/aborting.mjs'
import * as blocking from './program/blocking.mjs'
import * as holding from './program/holding.mjs'
import * as life from './program/life.mjs'
import * as meeting from './program/meeting.mjs'
import { describeError, nowMs, say } from './program/voice.mjs'
import * as watching from './program/watching.mjs'
import * as working from './program/working.mjs'
import * as writing from './program/writing.mjs'

const orders = { ...aborting, ...blocking, ...holding, ...life, ...meeting, ...watching, ...working, ...writing }

process.on('message', async ({ id, what, args }) => {
  const beganMs = nowMs()
  try {
    const order = orders[what]
    if (order === undefined) throw new TypeError(`there is no order "${what}"`)
    const value = (await order(args)) ?? null
    say({ answerTo: id, value, beganMs, atMs: nowMs() })
  } catch (error) {
    say({ answerTo: id, error: describeError(error), beganMs, atMs: nowMs() })
  }
})
// A test that is gone must leave nothing behind.
process.once('disconnect', () => process.exit(3))
say({ event: 'ready', atMs: nowMs() })
