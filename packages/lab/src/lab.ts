/**
 * `holdfast-lab`: every way to lock, side by side, in a flash sale and in scenes that make its failure certain. Starts what it needs,
 * stops it, and leaves nothing behind, also when it is ended in the middle.
 */
import { readCommand } from './contest/command-line.ts'
import { list } from './contest/listing.ts'
import { run, showScene } from './contest/running.ts'
import { drawReport } from './findings/report.ts'

const command = readCommand(process.argv.slice(2))
switch (command.kind) {
  case 'say':
    process.stdout.write(command.text)
    break
  case 'refuse':
    process.stderr.write(`${command.text}\n`)
    process.exitCode = 64
    break
  case 'list':
    list(process.stdout)
    break
  case 'run':
    process.exitCode = await run(command, process.stdout)
    break
  case 'scene':
    process.exitCode = await showScene(command, process.stdout)
    break
  case 'report':
    await drawReport(command)
    break
}
