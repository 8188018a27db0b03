/**
 * A semaphore whose permits have numbers is that many mutexes: each number has a line of its own at the nodes. The names
 * of those lines begin with a kind that users have not got, so they meet no lock.
 */
const SEMAPHORE = 'semaphore:'
const SLOT = 'slot:'

export function isSemaphore(line: string): boolean {
  return line.startsWith(SEMAPHORE)
}

export function slotLine(line: string, slot: number): string {
  return `${slotsOf(line)}${slot}`
}

/** What the names of all its slots begin with. */
export function slotsOf(line: string): string {
  return `${SLOT}${line.slice(SEMAPHORE.length)}:`
}

/** The semaphore and the number that a line at a node stands for; null: it is no slot. */
export function slotIn(line: string): { readonly line: string; readonly slot: number } | null {
  if (!line.startsWith(SLOT)) return null
  const cut = line.lastIndexOf(':')
  return { line: `${SEMAPHORE}${line.slice(SLOT.length, cut)}`, slot: Number(line.slice(cut + 1)) }
}

/** The lines at the nodes of which the names begin so. */
export function nodePrefix(prefix: string): string {
  return isSemaphore(prefix) ? `${SLOT}${prefix.slice(SEMAPHORE.length)}` : prefix
}
