/**
 * Runs before the tests that start programs from dist: without a build they would test nothing, with an old one the
 * wrong thing, so both fail here and say what to do.
 */
interface Built {
  /** What is wrong with the build; null: nothing. */
  staleness(): string | null
}

const { staleness } = (await import(new URL('./built.mjs', import.meta.url).href)) as Built

export function setup(): void {
  const wrong = staleness()
  if (wrong !== null) throw new Error(`${wrong}: run \`npm run build\` first`)
}
