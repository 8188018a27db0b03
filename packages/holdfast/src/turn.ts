/**
 * Ways to run something later in this turn of the event loop. Taken from Node when the library is loaded, so that tests
 * which put clocks of their own in their place later do not stop it.
 */

/** When the promises that are settled now have run. */
export const nextTick: (work: () => void) => void = process.nextTick.bind(process)
/** Behind the promises that are settled already. */
export const microtask: (work: () => void) => void = globalThis.queueMicrotask.bind(globalThis)
