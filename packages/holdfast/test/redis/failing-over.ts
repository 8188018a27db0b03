/** What takes and holders see while another server becomes the primary: counted, and held against what was promised. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { type RedisAccess, until } from '../../../../scripts/servers/index.ts'
import { type Backend, type Holdfast, holdfast, isHoldfastError, type Lease } from '../../src/index.ts'

const TTL = '15s'
const HELD = 32
const PATIENT = 8
const HASTY = 4
const PAUSE_MS = 10
const PATIENCE_MS = 5000

/** Resolves once every replica has what the primary has now: what is held by then is not lost with it. */
export async function inStep(primary: RedisAccess): Promise<void> {
  const wanted = Number((await primary.info('replication')).master_repl_offset)
  await until('the replicas are in step', async () => {
    const replicas = Object.entries(await primary.info('replication')).filter(([field]) => /^slave\d+$/.test(field))
    const offsets = replicas.map(([, line]) => Number(/offset=(\d+)/.exec(line)?.[1]))
    return offsets.length > 0 && offsets.every((offset) => offset >= wanted)
  })
}

export interface Course {
  /** Sections that were run with much patience, and with little. */
  readonly patient: number
  readonly hasty: number
  /** Codes of what takes with little patience failed with, and how often. */
  readonly failures: Readonly<Record<string, number>>
  /** Names of leases that were lost. */
  readonly lost: readonly string[]
}

/**
 * Holds locks and takes others, some with `wait: '30s'` and some with `'500ms'`, from before `failover` until a while
 * after it.
 *
 * @throws when a patient take fails, two are inside at once, or a hasty one fails with anything but its two errors
 */
export async function whileFailingOver(backend: () => Backend, failover: () => Promise<void>): Promise<Course> {
  const namespace = `failing-over-${process.pid}-${performance.now()}`
  const parties = [1, 2].map(() => holdfast(backend(), { namespace, ttl: TTL }))
  try {
    return await course(parties, failover)
  } finally {
    await Promise.all(parties.map((locks) => locks.close()))
  }
}

/** A server that is asked in the moment of its promotion may not answer yet. */
async function confirmed(lease: Lease): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await lease.confirm()
    } catch (error) {
      if (!isHoldfastError(error, 'BACKEND_UNAVAILABLE') || performance.now() > untilMs) throw error
    }
  }
}

async function course(parties: readonly Holdfast[], failover: () => Promise<void>): Promise<Course> {
  const at = (index: number): Holdfast => parties[index % parties.length] as Holdfast
  const leases: Lease[] = []
  for (let index = 0; index < HELD; index++) leases.push(await at(index).mutex(`held-${index}`).acquire())
  const inside = new Set<string>()
  const sections = { patient: 0, hasty: 0 }
  const failures: Record<string, number> = {}
  let going = true
  const section = async (name: string): Promise<void> => {
    expect(inside.has(name)).toBe(false)
    inside.add(name)
    await pause(1)
    inside.delete(name)
  }
  // By turns on names of their own and on one that all want.
  const nameOf = (index: number): string => (index % 4 === 0 ? 'shared' : `own-${index % 3}`)
  const patient = async (index: number): Promise<void> => {
    while (going) {
      await at(index)
        .mutex(nameOf(index))
        .run(() => section(nameOf(index)), { wait: '30s' })
      sections.patient++
      await pause(PAUSE_MS)
    }
  }
  const hasty = async (index: number): Promise<void> => {
    while (going) {
      try {
        await at(index)
          .mutex(nameOf(index))
          .run(() => section(nameOf(index)), { wait: '500ms' })
        sections.hasty++
      } catch (error) {
        if (!isHoldfastError(error, 'WAIT_TIMEOUT') && !isHoldfastError(error, 'BACKEND_UNAVAILABLE')) throw error
        failures[error.code] = (failures[error.code] ?? 0) + 1
      }
      await pause(PAUSE_MS)
    }
  }
  const work = Promise.all([
    ...Array.from({ length: PATIENT }, (_, index) => patient(index)),
    ...Array.from({ length: HASTY }, (_, index) => hasty(index)),
  ])
  work.catch(() => {})
  await pause(200)
  await failover()
  const before = { ...sections }
  await pause(500)
  going = false
  await work
  expect(sections.patient).toBeGreaterThan(before.patient)
  const lost = leases.filter(({ signal }) => signal.aborted).map(({ name }) => name)
  for (const lease of leases) if (!lost.includes(lease.name)) await confirmed(lease)
  await Promise.all(leases.map((lease) => lease.release()))
  return { ...sections, failures, lost }
}
