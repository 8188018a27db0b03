/**
 * Clients of the same database and namespace in this process. They tell each other exactly what changed, at once; only
 * changes made by other processes have to be looked for.
 */

export interface Neighbour {
  /** Something was committed. `moves`: the count of moves after it, if it made one. */
  told(hints: ReadonlySet<string>, moves: number | null): void
}

/** By path or database object, then by namespace. */
const places = new Map<unknown, Map<string, Set<Neighbour>>>()

/** Gives the clients of one place and namespace, the one added included, and how to take it out again. */
export function joinNeighbours(
  place: unknown,
  namespace: string,
  neighbour: Neighbour,
): { readonly all: ReadonlySet<Neighbour>; readonly part: () => void } {
  const spaces = places.get(place) ?? new Map<string, Set<Neighbour>>()
  places.set(place, spaces)
  const all = spaces.get(namespace) ?? new Set<Neighbour>()
  spaces.set(namespace, all)
  all.add(neighbour)
  const part = (): void => {
    all.delete(neighbour)
    if (all.size === 0 && spaces.get(namespace) === all) spaces.delete(namespace)
    if (spaces.size === 0 && places.get(place) === spaces) places.delete(place)
  }
  return { all, part }
}
