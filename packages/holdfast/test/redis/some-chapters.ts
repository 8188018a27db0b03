/** What each topology is held against: a choice of chapters, or with HOLDFAST_ALL_CHAPTERS=1 all of them. */
import { chapters } from '../conformance/chapters.ts'
import type { Chapter } from '../conformance/fact.ts'

const CHOSEN: ReadonlySet<string> = new Set([
  'mutex: taking',
  'mutex: giving up',
  'mutex: the lease',
  'mutex: maxHold',
  'fences',
  'fair takes',
  'the order of readers and writers',
  'semaphore',
  'slots',
  'all',
  'barrier',
  'observing',
  'cell',
  'detached',
  'forced release',
  'events of hints',
])

export const someChapters: readonly Chapter[] =
  process.env.HOLDFAST_ALL_CHAPTERS === '1' ? chapters : chapters.filter(({ title }) => CHOSEN.has(title))

const found = new Set(someChapters.map(({ title }) => title))
for (const title of CHOSEN) if (!found.has(title)) throw new Error(`there is no chapter ${title}`)
