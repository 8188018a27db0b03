/** The end of a process that ends well: what it may leave behind, and that nothing of it stays busy. */
import type { Host } from './host.ts'
import type { World } from './world.ts'

/** `close` waits at most this long for the store, beside its drain. */
const STORE_MS = 2 * 1000

/** A process ends by itself this long after its last `close`. */
const EXIT_MS = 200
const TURNS_MS = 5

/** Closes the host's Holdfast object, in a turn of its own process. */
export function closeHost(world: World, host: Host, drainMs: number): void {
  if (!host.works) return
  host.closing = true
  world.kernel.at(world.kernel.nowMs, host.actor, 'timer', () => {
    outlive(world, host)
    if (host.locks.status().waiting > 0) world.happened('close while waiting')
    if (host.holdings.size > 0 && drainMs > 0) world.happened('drained close')
    world.note(host, () => `closes with a drain of ${drainMs} ms`)
    void close(world, host, drainMs)
  })
}

async function close(world: World, host: Host, drainMs: number): Promise<void> {
  const done = world.promises.due(host, drainMs, STORE_MS, 'the close')
  const closing = host.locks.close({ drain: `${drainMs}ms` })
  const { waiting } = host.locks.status()
  if (waiting > 0) world.verdicts.wrong('close', `${waiting} takes of ${host.actor.name} go on waiting after its close`)
  await closing
  done()
  host.closed = true
  world.note(host, () => 'is closed')
  await host.sleep(EXIT_MS)
  // Work of the program's own may end right now, and its end is told in a turn or two.
  if (host.actor.clock.referenced > 0) await host.sleep(TURNS_MS)
  const { referenced } = host.actor.clock
  if (referenced > 0)
    world.verdicts.wrong('timers', `${referenced} timers keep ${host.actor.name} alive after its close`)
}

/** Detached leases of the host are believed in by whoever knows their ids, whatever becomes of the host. */
export function outlive(world: World, host: Host): void {
  for (const holding of [...host.holdings]) {
    if (holding.detachedMs === null) continue
    const validMs = host.actor.runs ? holding.lease.validForMs() : 0
    if (validMs > 0) world.happened('detached survives its process')
    world.beliefs.outlive(holding, world.kernel.nowMs + host.actor.clock.trueMs(validMs))
  }
}
