/**
 * `holdfast run`: the command runs while the lock is held and not a moment longer. The order matters: nothing starts
 * before the lease was looked at, and nothing is given back before the command and, once it was told to end, all of
 * its group is gone.
 */
import type { Clock } from '../clock.ts'
import type { LossReason } from '../errors.ts'
import type { Holdfast } from '../index.ts'
import { type Answer, failureAnswer, type Place } from './answer.ts'
import { environmentFor } from './command-environment.ts'
import { graceOf } from './ladder.ts'
import type { RunOrder } from './orders.ts'
import { type Ended, startInGroup } from './process-group.ts'
import { endedAnswer, notStartedAnswer } from './run-answer.ts'
import { Signals } from './signals.ts'
import { type Taken, take } from './taking.ts'
import { Watch, type WatchOptions } from './watch.ts'
import { startWatchdog } from './watchdog-line.ts'

export interface RunSurroundings {
  readonly clock: Clock
  readonly place: Place
  readonly ttlMs: number
  /** This program's own file, to start the watchdog from. */
  readonly program: string
  /** Says something to the user before the answer. */
  readonly remark: (text: string) => void
}

/** What became of the command. */
export type Course =
  | { readonly kind: 'not-started'; readonly errno: string; readonly message: string }
  | {
      readonly kind: 'ended'
      /** Null: it could not be ended and still runs. */
      readonly ended: Ended | null
      /** Why the group was told to end; null: it ended by itself. */
      readonly told: LossReason | 'not-renewed' | null
      readonly killed: boolean
      /** The lock was ours when the command had ended. */
      readonly held: boolean
    }

export async function run(locks: Holdfast, order: RunOrder, around: RunSurroundings): Promise<Answer> {
  const signals = new Signals()
  try {
    const lease = await take(locks, order, signals.waiting, false)
    const grantedAtMs = around.clock.monotonicMs()
    let course: Course
    let released = true
    try {
      signals.waiting.throwIfAborted()
      lease.assertHeld()
      course = await watchedCourse(lease, order, around, signals, grantedAtMs)
    } finally {
      released = await giveBack(lease, around)
    }
    if (course.kind === 'not-started') return notStartedAnswer(course, order.file, around.place)
    return endedAnswer({ ...course, held: course.held && released }, lease, around.place)
  } catch (error) {
    return failureAnswer(error, around.place, order.busyExitCode)
  } finally {
    signals.dispose()
  }
}

async function watchedCourse(
  lease: Taken,
  order: RunOrder,
  around: RunSurroundings,
  signals: Signals,
  grantedAtMs: number,
): Promise<Course> {
  const { clock } = around
  const grace = graceOf(order.graceMs, around.ttlMs, order.maxHold?.ms ?? null)
  const hardEndAtMs = order.maxHold === null ? null : grantedAtMs + order.maxHold.ms
  const watchdog = startWatchdog(around.program, (error) => {
    around.remark(`no watchdog: the command would outlive holdfast itself being killed (${error.message})`)
  })
  try {
    const environment = environmentFor(lease, hardEndAtMs, clock)
    const started = await startInGroup(order.file, order.args, { ...process.env, ...environment })
    if (started.kind === 'failed') return { ...started, kind: 'not-started' }
    const { pid, group } = started
    const onLimits: WatchOptions['onLimits'] = (limits, told) => watchdog.tell(pid, limits, grace.lossMs, told)
    const watch = new Watch({ clock, lease, group, grace, hardEndAtMs, onLimits })
    signals.passTo(group, watch.look)
    const first = await Promise.race([started.ended, watch.over])
    const ended = first === 'stuck' ? null : first === 'gone' ? await started.ended : first
    // Asked first, while it is still the moment of the command's end.
    const held = lease.isHeld()
    if (watch.told !== null) await watch.over
    watch.stop()
    return { kind: 'ended', ended, told: watch.told, killed: watch.killed, held }
  } finally {
    watchdog.bye()
  }
}

/** False: the lock had been lost before. An outage here is only told: the command's own result is what counts. */
async function giveBack(lease: Taken, around: RunSurroundings): Promise<boolean> {
  try {
    return await lease.release()
  } catch (error) {
    around.remark(
      `not released, so it ends by itself within the ttl: ${error instanceof Error ? error.message : error}`,
    )
    return true
  }
}
