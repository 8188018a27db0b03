/** When sections of one name ran in several processes, and how long it took from one to the next. */

export type Section = readonly [startAtMs: number, endAtMs: number]

/** From the end of a section to the start of the next, where the next is another process's. */
export function handOvers(processes: readonly (readonly Section[])[]): readonly number[] {
  const all = processes.flatMap((sections, owner) =>
    sections.map(([startAtMs, endAtMs]) => ({ owner, startAtMs, endAtMs })),
  )
  all.sort((a, b) => a.startAtMs - b.startAtMs)
  const found: number[] = []
  for (const [index, next] of all.entries()) {
    const before = all[index - 1]
    if (before !== undefined && before.owner !== next.owner) found.push(next.startAtMs - before.endAtMs)
  }
  return found
}
