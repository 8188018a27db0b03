/** Writing to the terminal. Nothing here is thrown: a reader that has gone is an answer, not a crash. */
import { visibleLines } from './visible-text.ts'

/** Without a listener the end of a reader would end this program, and with it the watch over the command. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

/** Node 22 and 24 call the SQLite that they come with an experiment, to everybody who runs a command. */
export function withholdExperiments(): void {
  const listeners = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') for (const listener of listeners) listener(warning)
  })
}

/** Whether the text was taken by whoever reads the stream. */
export function reached(stream: NodeJS.WriteStream, text: string): Promise<boolean> {
  if (text === '') return Promise.resolve(true)
  return new Promise((resolve) => {
    stream.once('error', () => resolve(false))
    stream.write(text, (error) => resolve(error === null || error === undefined))
  })
}

/** A line on stderr under the program's name. */
export function remark(text: string): void {
  process.stderr.write(`holdfast: ${visibleLines(text)}\n`)
}
