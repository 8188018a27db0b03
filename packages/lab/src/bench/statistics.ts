/** Medians and percentiles by nearest rank: every answer is a number that was measured. */

/** NaN for no numbers, so that a check on it fails. */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length))
  return sorted[rank - 1] ?? Number.NaN
}

export function median(numbers: readonly number[]): number {
  return percentile(numbers, 50)
}

/** The median of each figure over the rounds. */
export function medianRound<R extends Readonly<Record<string, number>>>(rounds: readonly R[]): Record<keyof R, number> {
  const names: readonly (keyof R)[] = Object.keys(rounds[0] ?? {})
  const entries = names.map((name) => [name, median(rounds.map((round) => round[name] ?? Number.NaN))] as const)
  return Object.fromEntries(entries) as Record<keyof R, number>
}
