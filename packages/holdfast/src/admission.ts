/**
 * The one rule of Holdfast: who in a line of claims is served, and what a waiting claim should watch.
 * Pure, and the model for every backend. What a reader would get wrong: the capacity of a claim is what its *caller*
 * believes, so two claims of one line may disagree; the smallest capacity among a claim and those ahead of it counts.
 */

/** What the rule needs to know of a claim. Claims are passed in the order of the line, dead ones left out. */
export interface Weighed {
  readonly weight: number
  readonly capacity: number
}

/** Capacity of a read–write line: a reader weighs 1, a writer (and a mutex) all of it. */
export const EXCLUSIVE: number = 2 ** 31

/**
 * How many claims from the front of the line are open.
 *
 * A claim is open when the weights of the live claims ahead of it plus its own fit the smallest capacity among them
 * and itself. The open claims are a prefix: once one does not fit, none behind it can.
 */
export function openCount(line: readonly Weighed[]): number {
  let sum = 0
  let smallest = Number.POSITIVE_INFINITY
  for (const [index, claim] of line.entries()) {
    sum += claim.weight
    smallest = Math.min(smallest, claim.capacity)
    if (sum > smallest) return index
  }
  return line.length
}

/**
 * The positions ahead of `line[index]` that together keep it closed; empty when it is open.
 *
 * First the claim that carries the smallest capacity (unless that is the claim itself), then the heaviest, then the
 * nearest, until their weights and its own exceed that capacity. While all of them stand unchanged the claim cannot
 * open; when one changes, decide again. Watching only the claim directly ahead loses wake-ups for readers and permits.
 */
export function blockers(line: readonly Weighed[], index: number): readonly number[] {
  const claim = line[index]
  if (claim === undefined || openCount(line) > index) return []
  let carrier = index
  for (let ahead = index - 1; ahead >= 0; ahead--) {
    if (capacityAt(line, ahead) < capacityAt(line, carrier)) carrier = ahead
  }
  const smallest = capacityAt(line, carrier)
  const chosen: number[] = []
  let sum = claim.weight
  const choose = (position: number): void => {
    chosen.push(position)
    sum += line[position]?.weight ?? 0
  }
  if (carrier !== index) choose(carrier)
  const others = Array.from({ length: index }, (_, position) => position)
    .filter((position) => position !== carrier)
    .sort((a, b) => (line[b]?.weight ?? 0) - (line[a]?.weight ?? 0) || b - a)
  for (const position of others) {
    if (sum > smallest) break
    choose(position)
  }
  return chosen
}

/** The smallest slot number that no open claim has. Fits below the capacity of a claim that is about to open. */
export function freeSlot(taken: readonly (number | null)[]): number {
  const used = new Set(taken)
  let slot = 0
  while (used.has(slot)) slot++
  return slot
}

function capacityAt(line: readonly Weighed[], position: number): number {
  return line[position]?.capacity ?? Number.POSITIVE_INFINITY
}
