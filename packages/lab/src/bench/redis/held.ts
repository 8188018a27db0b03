/**
 * What it costs to hold: processes that hold 1, 10,000 and 100,000 names do nothing else for a minute, all in the same
 * one. Their CPU, of all their threads, is what renewing takes. Each has a server of its own, so that what it is sent can
 * be counted. Raw: the process that holds one name.
 */
import { RedisServer } from '../../../../../scripts/servers/redis-server.ts'
import { startChild } from '../child.ts'
import { atLeast, atMost, type Check, type Measurement, type Round, type Setting } from '../measurement.ts'
import { figureIn, medianOver, named } from '../scenes.ts'
import { SCRIPTS } from './adapter.ts'
import { PEERS } from './adapters.ts'
import { type Held, HOLDER_JOB, type HolderInput, WATCH_MS } from './holder-job.ts'

interface Part {
  readonly who: string
  readonly adapter: string | null
  readonly count: number
}

const OURS = 'holdfast'
const TTL_MS = 15_000
const BEATS = WATCH_MS / (TTL_MS / 3)
/** One more than fit, for a minute begins anywhere. */
const BUCKETS = 16
const MANY = 100_000
const PEER_COUNT = 10_000
const LIMIT_MS = 240_000
const PERCENT_MAX = 1

const PARTS: readonly Part[] = [
  ...[1, PEER_COUNT, MANY].map((count) => ({ who: OURS, adapter: null, count })),
  ...PEERS.filter(({ client }) => client === 'ioredis').map(({ name }) => ({
    who: name,
    adapter: name,
    count: PEER_COUNT,
  })),
]

export const redisHeld: Measurement = {
  name: 'redis-held',
  what: `CPU of a process that holds names for ${WATCH_MS / 1000} s, ttl ${TTL_MS / 1000} s, in % of one core; raw: one that holds one name`,
  charts: [
    { figure: 'cpuPercent', title: 'CPU, % of a core', better: 'less' },
    { figure: 'bytes', title: 'Heap a held name, bytes', better: 'less' },
    { figure: 'commands', title: 'Commands a minute', better: 'less', log: true },
  ],
  async measure(setting) {
    const rounds: Round[] = []
    while (rounds.length < setting.countRounds) rounds.push(await oneRound(setting))
    return { rounds, checks: checksOf(rounds) }
  },
}

async function oneRound({ childScript }: Setting): Promise<Round> {
  const servers = await Promise.all(PARTS.map(() => RedisServer.start({ name: 'held' })))
  try {
    const children = PARTS.map(({ adapter, count }, index) => {
      const input: HolderInput = { adapter, count, url: servers[index]?.url ?? '', ttlMs: TTL_MS }
      return startChild(childScript, HOLDER_JOB, input, LIMIT_MS)
    })
    for (const child of children) await child.hear()
    const before = await commandsOf(servers)
    for (const child of children) child.say('watch')
    const held = (await Promise.all(children.map((child) => child.hear()))) as readonly Held[]
    const after = await commandsOf(servers)
    const keys = await Promise.all(servers.map((server) => server.ask('DBSIZE')))
    for (const child of children) child.kill()
    const rows = PARTS.map(({ who, count }, index) => {
      const { cpuPercent = Number.NaN, bytes = Number.NaN, stillHeld = null } = held[index] ?? {}
      const commands = (after[index] ?? Number.NaN) - (before[index] ?? Number.NaN)
      const figures = { cpuPercent, bytes, commands, stillHeld: stillHeld ?? Number(keys[index]) }
      return named(`${count.toLocaleString('en-US')} held`, who, figures)
    })
    return Object.assign({}, ...rows) as Round
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

function commandsOf(servers: readonly RedisServer[]): Promise<readonly number[]> {
  return Promise.all(
    servers.map(async (server) => {
      const counts = await server.commandCounts()
      return [...SCRIPTS, 'acquirelock', 'extendlock'].reduce((sum, name) => sum + (counts[name] ?? 0), 0)
    }),
  )
}

function checksOf(rounds: readonly Round[]): readonly Check[] {
  const most = `${MANY.toLocaleString('en-US')} held`
  const of = (scene: string, figure: string) => (round: Round) => figureIn(round, scene, OURS, figure)
  const added = medianOver(rounds, (round) => of(most, 'cpuPercent')(round) - of('1 held', 'cpuPercent')(round))
  return [
    atMost(`CPU of ${most}, % of a core, less that of 1`, added, PERCENT_MAX),
    atMost(`commands for ${most}, in ${BEATS} beats`, medianOver(rounds, of(most, 'commands')), (BEATS + 1) * BUCKETS),
    atLeast('leases still held at the end', medianOver(rounds, of(most, 'stillHeld')), MANY),
  ]
}
