/** Latches and barriers: nobody goes on before all are there whom it takes. */
import { byName, type Operation } from './operations.ts'
import type { Violation } from './violation.ts'

const returned = ({ action, outcome }: Operation): boolean => action === 'await' && outcome === 'ok'
const byEnd = (operations: readonly Operation[]): readonly Operation[] =>
  [...operations].sort((a, b) => a.endedNs - b.endedNs)
const byInvocation = (operations: readonly Operation[]): readonly Operation[] =>
  [...operations].sort((a, b) => a.invokedNs - b.invokedNs)

/** Whoever waited for a latch comes back when as many have begun to arrive as its count says; one who repeats counts once. */
export function earlyLatches(operations: readonly Operation[]): readonly Violation[] {
  return byName(
    operations.filter(({ kind }) => kind === 'latch'),
    (operation) => operation,
  ).flatMap((line) => {
    const arrivals = byInvocation(line.filter(({ action, outcome }) => action === 'arrive' && outcome !== 'fail'))
    const here = new Set<string>()
    let next = 0
    return byEnd(line.filter(returned)).flatMap((waiter) => {
      for (let one = arrivals[next]; one !== undefined && one.invokedNs <= waiter.endedNs; one = arrivals[++next]) {
        here.add(one.value ?? one.op)
      }
      if (here.size >= waiter.capacity) return []
      const { kind, name, op } = waiter
      const what = `latch "${name}" let ${op} pass with ${here.size} of ${waiter.capacity} arrived`
      return [{ rule: 'latch' as const, kind, name, what, operations: [waiter], atNs: waiter.endedNs, op }]
    })
  })
}

/** Of a barrier, at any moment, no more have come back than whole rounds have begun to wait. */
export function earlyBarriers(operations: readonly Operation[]): readonly Violation[] {
  return byName(
    operations.filter(({ kind, action }) => kind === 'barrier' && action === 'await'),
    (operation) => operation,
  ).flatMap((line) => {
    const begun = byInvocation(line)
    const failed = byEnd(line.filter(({ outcome }) => outcome === 'fail'))
    let [next, gone, back] = [0, 0, 0]
    return byEnd(line.filter(returned)).flatMap((waiter) => {
      while ((begun[next]?.invokedNs ?? Infinity) <= waiter.endedNs) next++
      while ((failed[gone]?.endedNs ?? Infinity) < waiter.endedNs) gone++
      back++
      const { kind, name, op, capacity } = waiter
      if (back <= Math.floor((next - gone) / capacity) * capacity) return []
      const what = `barrier "${name}" let ${op} pass as number ${back}, when ${next - gone} of ${capacity} a round had come`
      return [{ rule: 'barrier' as const, kind, name, what, operations: [waiter], atNs: waiter.endedNs, op }]
    })
  })
}
