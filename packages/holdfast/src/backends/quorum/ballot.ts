/**
 * Counts the answers of nodes to one attempt. A majority is enough; but the yes of a node that holds grants back, for it
 * may have forgotten whom it said yes to before, counts only when every single node says yes.
 */
import type { Vote } from '../../errors.ts'
import { majorityOf } from './claim.ts'

/** `low`, `high`: the number was refused. `unknown`: no answer. */
export type Answer = 'yes' | 'young' | 'no' | 'low' | 'high' | 'unknown'

export type Outcome =
  | 'held'
  /** A majority says that others hold it. */
  | 'contended'
  /** Some do: others try at the same time, or have left and not yet everywhere. */
  | 'split'
  /** Another number may do. */
  | 'renumber'
  /** Too few nodes can be asked, or counted. */
  | 'short'

/** Null: not decided yet. */
export function outcomeOf(answers: readonly (Answer | null)[]): Outcome | null {
  const nodes = answers.length
  const majority = majorityOf(nodes)
  const count = (...which: (Answer | null)[]): number => answers.filter((answer) => which.includes(answer)).length
  if (count('yes') >= majority || count('yes', 'young') === nodes) return 'held'
  const pending = count(null)
  const all = count('yes', 'young', null) === nodes
  if (count('yes') + pending >= majority || all) return null
  // It cannot be held any more; what is pending may still say why.
  const refused = count('no')
  if (refused >= majority) return 'contended'
  if (pending > 0) return null
  if (refused > 0 && refused + count('yes', 'young', 'low', 'high') >= majority) return 'split'
  return count('yes', 'young', 'low', 'high') >= majority && count('low', 'high') > 0 ? 'renumber' : 'short'
}

export function votesOf(names: readonly string[], answers: readonly (Answer | null)[]): readonly Vote[] {
  return names.map((node, index) => ({ node, vote: voteOf(answers[index] ?? null) }))
}

function voteOf(answer: Answer | null): Vote['vote'] {
  if (answer === 'yes' || answer === 'young') return 'yes'
  return answer === null || answer === 'unknown' ? 'unknown' : 'no'
}
