/**
 * The table of bad input: what each parameter and option makes of values that only look right, or that have broken
 * programs before. Everything is refused unless it is listed here as fine, with the reason.
 */

export const BAD = {
  NaN: Number.NaN as number,
  minus: -1,
  infinite: Number.POSITIVE_INFINITY as number,
  five: 5,
  empty: '',
  bare: '5',
  blank: '5 s',
  negative: '-5s',
  exponent: '1e3s',
  object: {},
  null: null,
  proto: '__proto__',
  nul: 'a\0b',
  surrogate: 'a\ud800',
  long: 'x'.repeat(10_000) as string,
} as const
export type Bad = keyof typeof BAD

export const BADS = Object.keys(BAD) as Bad[]

/** What is fine, and why. */
export type Verdict = Partial<Record<Bad, string>>

const texts = (reason: string): Verdict =>
  Object.fromEntries((['bare', 'blank', 'negative', 'exponent', 'proto'] as const).map((bad) => [bad, reason]))
const all = (reason: string): Verdict => Object.fromEntries(BADS.map((bad) => [bad, reason]))

const NONE: Verdict = {}
const BAG: Verdict = { object: 'every option has a default' }
const WHOLE: Verdict = { five: 'a whole number within the bounds' }
const NAME = texts('any text of 1 to 512 bytes is a name')
const ANY_TEXT: Verdict = {
  ...texts('Redis takes any text'),
  empty: 'Redis takes an empty text',
  nul: 'Redis takes any byte',
  long: 'Redis takes 512 MB',
}

/** By the name of the option or parameter. */
const byName: Readonly<Record<string, Verdict>> = {
  wait: NONE,
  maxHold: NONE,
  ttl: NONE,
  maxTtl: NONE,
  maxStall: NONE,
  slice: NONE,
  linger: NONE,
  warnAfter: NONE,
  drain: NONE,
  atLeast: NONE,
  text: NONE,
  detached: NONE,
  fair: NONE,
  reentrant: NONE,
  slot: NONE,
  quarantine: NONE,
  heartbeat: NONE,
  signal: NONE,
  within: NONE,
  fn: NONE,
  run: NONE,
  things: NONE,
  lease: NONE,
  leaseId: NONE,
  dialect: NONE,
  client: NONE,
  keys: NONE,
  args: NONE,
  script: ANY_TEXT,
  work: BAG,
  target: NONE,
  passes: WHOLE,
  capacity: WHOLE,
  permits: WHOLE,
  stripes: WHOLE,
  count: WHOLE,
  parties: WHOLE,
  options: BAG,
  front: BAG,
  defaults: BAG,
  name: NAME,
  namespace: NAME,
  id: NAME,
  label: { ...NAME, empty: 'a label may say nothing' },
  prefix: { ...NAME, empty: 'everything begins with nothing' },
  claimId: { ...NAME, empty: 'no claim has it, so nothing is released' },
  value: { ...texts('a value is any text'), empty: 'an empty value is one', long: 'values may have 64 kB' },
  key: { ...texts('a key is any text'), empty: 'an empty key is one', long: 'keys may have 64 kB' },
  ifVersion: { null: 'only if there is no cell yet' },
  table: { proto: 'a plain identifier' },
  fileOrDatabase: texts('the path of a file, relative to the current folder'),
  error: all('it is a question about anything that was caught'),
  code: all('no error has such a code, so the answer is false'),
  tx: all('handed on as it is to the function that the caller gave, or not used at all'),
}

/** Where one parameter differs from others of its name. */
const byKey: Readonly<Record<string, Verdict>> = {
  'holdfast(options)': NONE,
  'Holdfast.semaphore(options)': NONE,
  'Election.lead(options)': NONE,
  'sqlGuard(options)': NONE,
  'sqlGuard(options).key': NAME,
  'redisGuard(key)': NAME,
  'RedisGuard.set(value)': ANY_TEXT,
}

/** What a refusal of `{}` names instead: what is missing in it. */
export const missing: Readonly<Record<string, string>> = {
  'holdfast(options)': 'namespace',
  'Holdfast.semaphore(options)': 'capacity',
  'Election.lead(options)': 'signal',
  'sqlGuard(options)': 'run',
  'Guard<void>.enter(lease)': 'lease',
  'Guard<Tx>.enter(lease)': 'lease',
  'RedisGuard.enter(lease)': 'lease',
  'RedisGuard.set(lease)': 'lease',
  'RedisGuard.run(lease)': 'lease',
}

/** Refused whatever they are, so no value is shown. */
export const impossible: readonly RegExp[] = [
  /^(MultiLockable|Barrier|Latch)\..*\.within$/,
  /^Holdfast\.all\(options\)\.within$/,
]

/** Named otherwise than in the types, because the message is about the whole. */
const called: Readonly<Record<string, string>> = { 'duration(text)': 'duration' }

/** The last part of a key: `holdfast(options).front.passes` and `Holdfast.mutex(name)`. */
export function nameIn(key: string): string {
  return called[key] ?? /(\w+)\)?$/.exec(key)?.[1] ?? key
}

/** Undefined: the table does not know this input. */
export function verdictOn(key: string): Verdict | undefined {
  const name = /(\w+)\)?$/.exec(key)?.[1] ?? key
  return Object.hasOwn(byKey, key) ? byKey[key] : Object.hasOwn(byName, name) ? byName[name] : undefined
}

/** A part of what an error message says of the value. */
export function shownIn(bad: Bad): string {
  const value: unknown = BAD[bad]
  if (typeof value === 'string') return value === '' ? 'empty|""' : JSON.stringify(value.slice(0, 20)).slice(0, -1)
  return typeof value === 'object' && value !== null ? 'object|function' : String(value)
}
