/** How a party speaks: lines of JSON on stdout, written at once, with moments on the clock that all processes share. */
import { writeSync } from 'node:fs'

/** Milliseconds on the machine's monotonic clock. */
export function nowMs() {
  return Number(process.hrtime.bigint()) / 1e6
}

export function say(what) {
  let bytes = Buffer.from(`${JSON.stringify(what)}\n`)
  while (bytes.length > 0) bytes = bytes.subarray(write(bytes))
}

/** How many bytes the pipe took: none while it is full. */
function write(bytes) {
  try {
    return writeSync(1, bytes)
  } catch (error) {
    if (error.code === 'EAGAIN') return 0
    throw error
  }
}

/** What a test needs to know of an error; a reason that is no error is given as text. */
export function describeError(error) {
  if (!(error instanceof Error))
    return { name: 'none', code: null, reason: null, message: String(error), settled: null }
  const { name, code = null, reason = null, message, settled = null } = error
  return { name, code, reason, message, settled: settled?.status ?? null, cause: error.cause?.message ?? null }
}
