/**
 * `holdfast-lab`: every way to lock, side by side, in a flash sale and in scenes that make its failure certain. Starts what it needs,
 * stops it, and leaves nothing behind, also when it is ended in the middle.
 */
import { type Command, readCommand } from './contest/command-line.ts'
import { list } from './contest/listing.ts'
import { run, showScene } from './contest/running.ts'
import { drawReport } from './findings/report.ts'

async function carriedOut(command: Command): Promise<number> {
  switch (command.kind) {
    case 'say':
      process.stdout.write(command.text)
      return 0
    case 'refuse':
      process.stderr.write(`${command.text}\n`)
      return 64
    case 'list':
      list(process.stdout)
      return 0
    case 'run':
      return run(command, process.stdout)
    case 'scene':
      return showScene(command, process.stdout)
    case 'report':
      drawReport(command)
      return 0
  }
}

// Whoever reads has gone, as behind `| head`: there is nobody to play for.
process.stdout.on('error', () => process.exit(1))
try {
  process.exitCode = await carriedOut(readCommand(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
