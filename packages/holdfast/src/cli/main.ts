#!/usr/bin/env node
/**
 * The program `holdfast`. Two programs in one file, so that the watchdog starts without the library: it must be up
 * before much can go wrong.
 */
import { systemClock } from '../clock.ts'
import { processGroup } from './process-group.ts'
import { standWatch, WATCHDOG_COMMAND } from './watchdog.ts'

const [, file = '', ...words] = process.argv
if (words[0] === WATCHDOG_COMMAND) {
  process.title = 'holdfast-watchdog'
  standWatch(process.stdin, systemClock, processGroup)
} else {
  const { program } = await import('./program.ts')
  process.exitCode = await program(words, file)
}
