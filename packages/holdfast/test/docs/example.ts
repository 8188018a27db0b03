/** Runs an example as a reader would, in a process of its own against the built package. */
import { execFile } from 'node:child_process'
import { hostname } from 'node:os'

/** Each takes a second or so; a machine that is busy may take longer. */
const RUN_MS_MAX = 10_000

/** The comment lines after `// prints`. */
export function printsOf(example: string): readonly string[] {
  const [, last = ''] = example.split('\n// prints\n')
  return last
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^\/\/ ?/, ''))
}

export interface Ended {
  readonly lines: readonly string[]
  readonly errors: string
  readonly exitCode: unknown
}

/** What it printed, with HOST for the name of this machine. */
export function runExample(file: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { timeout: RUN_MS_MAX, killSignal: 'SIGKILL', env: { ...process.env, ...env } } as const
    execFile(process.execPath, [file], options, (error, stdout, stderr) => {
      const lines = stdout.trimEnd().replaceAll(hostname(), 'HOST').split('\n')
      resolve({ lines, errors: stderr, exitCode: error === null ? 0 : (error.code ?? error.signal) })
    })
  })
}
