/**
 * A command with a child of its own, both of which write the moment to a file every few milliseconds, so that a test
 * can tell when each of them ended. Called with the file and the signals that both ignore; anything that the signals
 * would have done is written down as well.
 */
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'

const [, self, file, role, ...ignored] = process.argv
const write = (what) =>
  appendFileSync(file, `${role} ${what} ${Number(process.hrtime.bigint()) / 1e6} ${process.pid}\n`)

for (const signal of ignored) process.on(signal, () => write(signal))
if (role === 'parent') spawn(process.execPath, [self, file, 'child', ...ignored], { stdio: 'inherit' })
write('start')
setInterval(() => write('lives'), 5)
