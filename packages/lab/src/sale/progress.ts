/** How far an act is: a bar on a terminal, a plain line at each quarter elsewhere. */
import { SingleBar } from 'cli-progress'

export interface Progress {
  update(done: number): void
  end(): void
}

export function openProgress(stream: NodeJS.WriteStream, title: string, total: number): Progress {
  return stream.isTTY ? bar(stream, title, total) : lines(stream, title, total)
}

function bar(stream: NodeJS.WriteStream, title: string, total: number): Progress {
  const shown = new SingleBar({
    stream,
    format: `  ${title} {bar} {percentage}% of ${total.toLocaleString('en-US')} requests, {duration_formatted}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 28,
    hideCursor: true,
  })
  // The cursor comes back also when the program is ended in the middle.
  const stop = (): void => shown.stop()
  process.once('exit', stop)
  shown.start(total, 0)
  return {
    update: (done) => shown.update(done),
    end() {
      process.off('exit', stop)
      stop()
    },
  }
}

function lines(stream: NodeJS.WritableStream, title: string, total: number): Progress {
  let quarters = 0
  return {
    update(done) {
      const reached = Math.floor((4 * done) / total)
      if (reached <= quarters) return
      quarters = reached
      stream.write(`  ${title}: ${25 * reached}%\n`)
    },
    end() {},
  }
}
