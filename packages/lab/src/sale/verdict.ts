/** What each act must show. An act that shows something else fails the demo, also the one that is meant to go wrong. */
import type { ActResult } from './act.ts'

export interface Expected {
  readonly stock: number
  readonly requests: number
}

/** What is not as it must be, one sentence each; empty when all is well. */
export function faultsOf(act: ActResult, { stock, requests }: Expected): readonly string[] {
  const faults: string[] = []
  const answered = act.served + act.cut + act.failed
  if (answered !== requests) faults.push(`${requests} requests were sent, but ${answered} are accounted for`)
  if (act.plan.lock) faults.push(...faultsWithLock(act, stock))
  else if (act.oversold === 0) faults.push(`the race did not show: ${act.sold} sold of ${stock}`)
  if (act.plan.kill && act.recoveryMs === null) faults.push('no holder was killed, or nobody went on after it')
  return faults
}

function faultsWithLock(act: ActResult, stock: number): readonly string[] {
  const faults: string[] = []
  if (act.sold !== stock) faults.push(`${act.sold} sold, but there were ${stock}`)
  if (act.left !== 0) faults.push(`${act.left} left, but there should be none`)
  if (act.fencesRise !== true) faults.push('the fences on the receipts do not rise')
  if (act.takes === null || act.takes.remote === 0) faults.push('no server says that it took the lock')
  return faults
}
