/** What a run found as one page that needs nothing else: no script, no font and no picture from anywhere. */
import type { Findings } from './findings.ts'

export function pageOf({ at }: Findings): string {
  return `<!doctype html><title>${at}</title>`
}
