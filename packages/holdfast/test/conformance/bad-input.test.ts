/**
 * Every parameter and every option of the public surface, read off its types, against the table of bad input. One that
 * the table does not know fails the first test.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { QUORUM_SCHEMES } from '../../src/backends/quorum-address.ts'
import { MODULE_SCHEME, REDIS_SCHEMES } from '../../src/backends/redis-address.ts'
import { holdfast, isHoldfastError } from '../../src/index.ts'
import { type Stage, stage } from './bad-calls.ts'
import { BAD, BADS, type Bad, impossible, missing, nameIn, shownIn, verdictOn } from './bad-input.ts'
import { type Input, inputsOf } from './surface.ts'

const inputs = inputsOf()
let staged: Stage

beforeAll(async () => {
  staged = await stage()
})
afterAll(() => staged.close())

/** The value where the input has it, with everything around it as it should be. */
function placed({ parameter, path }: Input, bad: Bad): never {
  const inside = path.reduceRight<unknown>((value, name) => ({ [name]: value }), BAD[bad])
  return (path.length === 0 ? inside : { ...staged.bases[parameter], ...(inside as object) }) as never
}

type Ended =
  | { readonly kind: 'fine'; readonly atOnce: boolean }
  | { readonly kind: 'refused'; readonly atOnce: boolean; readonly error: unknown }

async function ended(input: Input, bad: Bad): Promise<Ended> {
  const call = staged.calls[input.parameter]
  if (call === undefined) throw new Error(`no call of ${input.parameter} is known`)
  let result: unknown
  try {
    result = call(placed(input, bad))
  } catch (error) {
    return { kind: 'refused', atOnce: true, error }
  }
  try {
    if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result) {
      const walk = (result as AsyncIterable<unknown>)[Symbol.asyncIterator]()
      await walk.next()
      await walk.return?.()
    } else await result
    return { kind: 'fine', atOnce: false }
  } catch (error) {
    return { kind: 'refused', atOnce: false, error }
  }
}

test('the table knows every input, and how to call what takes it', () => {
  expect(inputs.length).toBeGreaterThan(200)
  expect(inputs.filter(({ key }) => verdictOn(key) === undefined).map(({ key }) => key)).toEqual([])
  const called = new Set(inputs.map(({ parameter }) => parameter))
  expect(Object.keys(staged.calls).sort()).toEqual([...called].sort())
})

describe.each(inputs.map((input) => ({ input, key: input.key })))('$key', ({ input, key }) => {
  const verdict = verdictOn(key) ?? {}
  const refused = BADS.filter((bad) => verdict[bad] === undefined)
  const fine = BADS.filter((bad) => verdict[bad] !== undefined)

  test.each(refused)('refuses what is %s at once, naming itself and the value', async (bad) => {
    const before = staged.cable.count()
    const end = await ended(input, bad)
    expect(end.kind).toBe('refused')
    expect(end.atOnce, 'thrown by the call itself').toBe(!input.later)
    expect(staged.cable.count(), 'requests to the store').toBe(before)
    const error = end.kind === 'refused' ? end.error : null
    if (key === 'MultiLockable.release(leaseId)') {
      expect(isHoldfastError(error, 'UNSUPPORTED')).toBe(true)
      return
    }
    expect(error instanceof TypeError || error instanceof RangeError, String(error)).toBe(true)
    const { message } = error as Error
    const lacks = bad === 'object' ? missing[key] : undefined
    expect(message).toContain(lacks ?? nameIn(key))
    const shown = lacks === undefined && !impossible.some((one) => one.test(key))
    if (shown) expect(message).toMatch(new RegExp(patternOf(shownIn(bad))))
  })

  test.each(fine.map((bad) => ({ bad, reason: verdict[bad] ?? '' })))(
    'takes what is $bad: $reason',
    async ({ bad }) => {
      const end = await ended(input, bad)
      expect(end.kind === 'refused' ? String(end.error) : 'fine').toBe('fine')
    },
  )
})

/** Alternatives stay, all else is meant literally. */
function patternOf(text: string): string {
  return text
    .split('|')
    .map((one) => one.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('|')
}

describe('URLs', () => {
  const right = { namespace: 'shop' }
  const schemes = (): string[] => {
    try {
      holdfast('unknown:', right)
    } catch (error) {
      return Array.from(String(error).matchAll(/([a-z+]+):(?= or |,)/g), ([, scheme = '']) => scheme)
    }
    return []
  }
  const after: Readonly<Record<string, readonly Bad[]>> = {
    // What follows is the path of a file; any text that can be one is fine.
    sqlite: ['empty', 'nul', 'surrogate', 'long'],
    memory: BADS.filter((bad) => bad !== 'empty'),
    ...Object.fromEntries([...QUORUM_SCHEMES, ...REDIS_SCHEMES, MODULE_SCHEME].map((scheme) => [scheme, BADS])),
  }

  test('the table has every scheme', () => {
    expect(schemes().sort()).toEqual(Object.keys(after).sort())
  })

  test.each(BADS)('a scheme that is %s is refused and shown', (bad) => {
    const url = `${BAD[bad]}://x`
    expect(() => holdfast(url, right)).toThrow(RangeError)
    expect(() => holdfast(url, right)).toThrow(/target/)
  })

  const rows = Object.entries(after).flatMap(([scheme, bads]) => bads.map((bad) => ({ scheme, bad })))
  test.each(rows)('$scheme: refuses what is $bad', ({ scheme, bad }) => {
    const url = `${scheme}:${BAD[bad]}`
    expect(() => holdfast(url, right)).toThrow(RangeError)
    expect(() => holdfast(url, right)).toThrow(/target/)
  })

  test.each(['sqlite://./m.db', 'sqlite://m.db', 'sqlite://', 'sqlite://localhost/m.db'])(
    '%s is refused by a message with the two right forms, because it would be another file',
    (url) => {
      expect(() => holdfast(url, right)).toThrow(RangeError)
      expect(() => holdfast(url, right)).toThrow(/'sqlite:\.\/locks\.db'.*'sqlite:\/\/\/folder\/locks\.db'/)
      expect(() => holdfast(url, right)).toThrow(JSON.stringify(url))
    },
  )

  test('parameters behind the path of a file are refused, for none are understood', () => {
    expect(() => holdfast('sqlite:./m.db?mode=ro', right)).toThrow(RangeError)
    expect(() => holdfast('sqlite:./m.db?mode=ro', right)).toThrow(/no parameters.*sqlite\(path\).*m\.db\?mode=ro/)
  })

  test.each(['./m.db', '/var/locks/m.db', 'm.db'])(
    'a path alone, as %s, is refused by what a URL looks like',
    (path) => {
      expect(() => holdfast(path, right)).toThrow(RangeError)
      expect(() => holdfast(path, right)).toThrow(/target must be a URL .*such as 'sqlite:\.\/locks\.db'/)
    },
  )

  test('what is left of the table is taken', () => {
    for (const [scheme, bads] of Object.entries(after)) {
      for (const bad of BADS.filter((one) => !bads.includes(one))) {
        expect(holdfast(`${scheme}:${BAD[bad]}`, right).status().link).toBe('idle')
      }
    }
  })
})
