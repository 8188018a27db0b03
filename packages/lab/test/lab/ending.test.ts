/** However the lab ends, nothing of it is left: no process, no port, no folder. */
import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../../scripts/servers/until.ts'
import { newFolder, startLab } from './program.ts'

/** Redis, MariaDB, PostgreSQL, and two processes that sell. */
const SERVERS_AND_SHOPS = 5

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'ended by %s in the middle it leaves nothing behind',
  async (signal) => {
    const child = startLab(['run', 'delete-by-script', 'row-lock', 'advisory-lock'], newFolder())
    const folder = await until('it sells', () => placeOf(child))
    await until('servers and shops run', () => familyOf(folder).length >= SERVERS_AND_SHOPS)
    child.kill(signal)
    await once(child, 'close')
    await until('nothing is left', () => !existsSync(folder) && familyOf(folder).length === 0, { limitMs: 5_000 })
    expect([existsSync(folder), familyOf(folder)]).toEqual([false, []])
  },
)

/** The folder that it has made, named by its children. */
function placeOf({ pid }: ChildProcess): string | false {
  const children = execFileSync('ps', ['-eo', 'ppid=,args='], { encoding: 'utf8' }).split('\n')
  const own = children.find((line) => line.trim().startsWith(`${pid} `) && line.includes('holdfast-lab-'))
  const [, name] = /(holdfast-lab-[A-Za-z0-9]{6})/.exec(own ?? '') ?? []
  return name === undefined ? false : join(tmpdir(), name)
}

/** All that live and name the folder, but for the shell that sweeps it. */
function familyOf(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
        return words.includes(folder) && !words.startsWith('sh\0')
      } catch {
        // It has ended meanwhile.
        return false
      }
    })
}
