/** All strategies, in the order of the staircase. */
import { DATABASES } from './databases.ts'
import { HAND_MADE } from './hand-made.ts'
import { PRIMITIVES } from './primitives.ts'
import type { Missing, Strategy } from './strategy.ts'

export const STRATEGIES: readonly Strategy[] = [...DATABASES, ...HAND_MADE, ...PRIMITIVES].sort(
  (one, other) => one.step - other.step,
)

export const MISSING: readonly Missing[] = [
  { name: 'zookeeper', step: 27, title: 'ZooKeeper: ephemeral sequential nodes', needs: 'ZooKeeper' },
  { name: 'etcd', step: 28, title: 'etcd: a lease and a revision', needs: 'etcd' },
]

/** @throws {TypeError} there is none of that name */
export function strategyOf(name: string): Strategy {
  const found = STRATEGIES.find((strategy) => strategy.name === name)
  if (found === undefined)
    throw new TypeError(`there is no strategy ${JSON.stringify(name)}: see \`holdfast-lab list\``)
  return found
}
