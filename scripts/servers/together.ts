/** Several servers at once. */

export function all<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  return Promise.all(items.map(work))
}

/** Starts a set of servers; when one fails, none of the others is left behind. */
export async function startOrStop(set: { stop(): Promise<void> }, start: () => Promise<void>): Promise<void> {
  try {
    await start()
  } catch (error) {
    await set.stop()
    throw error
  }
}
