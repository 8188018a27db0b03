/** What the command line of the lab asks for. A word that nobody knows is refused, never guessed at. */
import { parseArgs } from 'node:util'
import { SCENES } from '../scenes/index.ts'
import { STRATEGIES } from '../strategies/index.ts'
import type { Crowd } from './sale.ts'
import { SERVER_NAMES, type ServerName } from './servers.ts'

export interface RunCommand {
  readonly kind: 'run'
  /** Names of strategies; null: all whose store is there. */
  readonly strategies: readonly string[] | null
  readonly servers: readonly ServerName[]
  readonly crowd: Crowd
  readonly out: string
}

export interface SceneCommand {
  readonly kind: 'scene'
  readonly scene: string
  /** How often each of its cases is played. */
  readonly times: number
}

export interface ReportCommand {
  readonly kind: 'report'
  readonly from: string
  readonly to: string
}

export type Command =
  | RunCommand
  | SceneCommand
  | ReportCommand
  | { readonly kind: 'list' }
  | { readonly kind: 'say' | 'refuse'; readonly text: string }

const FINDINGS = 'holdfast-lab.json'

const HELP = `holdfast-lab: every way to lock, side by side, with what it fixes and what it breaks

Usage
  holdfast-lab list                      the strategies, step by step, and the scenes
  holdfast-lab run [STRATEGY...]         a sale with each, and its scenes; what was found goes to ${FINDINGS}
  holdfast-lab run --all                 the whole staircase, with all servers
  holdfast-lab scene NAME [--times N]    one scene, with its timeline
  holdfast-lab report [--html FILE]      the last run as one page, or another (--from FILE)

Flags of run
  --servers LIST       ${SERVER_NAMES.join(', ')}, or auto for all; without it: what runs on files alone, or
                       what the named strategies need
  --stock N            pieces on the shelf (default 1000)
  --requests N         purchase requests (default 5000), --concurrency N at a time (default 200)
  --processes N        that sell (default 2)
  --seconds N          after which a sale ends as it is (default 6)
  --out FILE           where to keep what was found (default ${FINDINGS})

Servers are started on free ports of 127.0.0.1 with their data in a temporary folder, and stopped. As root on Debian
missing ones are installed, and it says so; HOLDFAST_INSTALL=never forbids that.
`

const OPTIONS = {
  all: { type: 'boolean', default: false },
  servers: { type: 'string' },
  stock: { type: 'string', default: '1000' },
  requests: { type: 'string', default: '5000' },
  concurrency: { type: 'string', default: '200' },
  processes: { type: 'string', default: '2' },
  seconds: { type: 'string', default: '6' },
  times: { type: 'string', default: '1' },
  out: { type: 'string', default: FINDINGS },
  from: { type: 'string', default: FINDINGS },
  html: { type: 'string', default: 'holdfast-lab.html' },
  help: { type: 'boolean', default: false },
} as const

class Refusal extends Error {}

export function readCommand(args: readonly string[]): Command {
  try {
    return commandOf(args)
  } catch (error) {
    const known = error instanceof Refusal || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')
    if (known === true) return { kind: 'refuse', text: (error as Error).message }
    throw error
  }
}

function commandOf(args: readonly string[]): Command {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  const [word, ...names] = positionals
  if (values.help || word === undefined) return { kind: 'say', text: HELP }
  if (word === 'list') return { kind: 'list' }
  if (word === 'report') return { kind: 'report', from: values.from, to: values.html }
  if (word === 'scene') return sceneCommand(names, wholeNumber('times', values.times, 1, 1000))
  if (word !== 'run') throw new Refusal(`there is no command ${JSON.stringify(word)}: see \`holdfast-lab --help\``)
  return {
    kind: 'run',
    ...runOf(values.all, names, values.servers),
    crowd: {
      stock: wholeNumber('stock', values.stock, 1, 1_000_000),
      requests: wholeNumber('requests', values.requests, 1, 1_000_000),
      concurrency: wholeNumber('concurrency', values.concurrency, 1, 2_000),
      processes: wholeNumber('processes', values.processes, 1, 16),
      secondsMax: wholeNumber('seconds', values.seconds, 1, 600),
    },
    out: values.out,
  }
}

function runOf(
  all: boolean,
  names: readonly string[],
  servers: string | undefined,
): Pick<RunCommand, 'strategies' | 'servers'> {
  if (all && names.length > 0) throw new Refusal('--all and names of strategies exclude each other')
  const known = STRATEGIES.filter(({ name }) => names.includes(name))
  const stranger = names.find((name) => !known.some((strategy) => strategy.name === name))
  if (stranger !== undefined)
    throw new Refusal(`there is no strategy ${JSON.stringify(stranger)}: see \`holdfast-lab list\``)
  if (servers !== undefined) return { strategies: names.length > 0 ? names : null, servers: serverNames(servers) }
  if (all) return { strategies: null, servers: SERVER_NAMES }
  const needed = SERVER_NAMES.filter((server) => known.some(({ store }) => store === server))
  return { strategies: names.length > 0 ? names : null, servers: needed }
}

function sceneCommand(names: readonly string[], times: number): SceneCommand {
  const [name, ...more] = names
  if (name === undefined || more.length > 0) throw new Refusal('name one scene: see `holdfast-lab list`')
  if (!SCENES.some((scene) => scene.name === name)) {
    throw new Refusal(`there is no scene ${JSON.stringify(name)}: see \`holdfast-lab list\``)
  }
  return { kind: 'scene', scene: name, times }
}

function serverNames(text: string): readonly ServerName[] {
  if (text === 'auto') return SERVER_NAMES
  return text.split(',').map((name) => {
    const known = SERVER_NAMES.find((server) => server === name)
    if (known === undefined)
      throw new Refusal(`--servers knows ${SERVER_NAMES.join(', ')} and auto, not ${JSON.stringify(name)}`)
    return known
  })
}

function wholeNumber(flag: string, text: string, min: number, max: number): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new Refusal(`--${flag} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`)
}
