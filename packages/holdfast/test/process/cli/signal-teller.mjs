/** Says each signal that reaches it, and its child does the same; ends with 5 on SIGHUP. */
import { spawn } from 'node:child_process'

const [, self, role = 'parent'] = process.argv
for (const signal of ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH']) {
  process.on(signal, () => process.stdout.write(`${role} ${signal}\n`))
}
process.on('SIGHUP', () => process.exit(5))
if (role === 'parent') spawn(process.execPath, [self, 'child'], { stdio: 'inherit' })
process.stdout.write(`${role} ready\n`)
setInterval(() => {}, 1000)
