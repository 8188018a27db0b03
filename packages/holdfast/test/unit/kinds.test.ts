/** Each kind of thing knows its own options only, and says which those are. */
import { afterAll, describe, expect, test } from 'vitest'
import { holdfast, type Lockable } from '../../src/index.ts'

const locks = holdfast('memory:', { namespace: 'kinds' })
const name = 'thing'
afterAll(() => locks.close())
const take = ['wait', 'maxHold', 'signal', 'label', 'within', 'detached', 'fair']

/** How each is made with options, its verbs' thing, and what both may say. */
const kinds = {
  mutex: { make: (options: object) => locks.mutex(name, options), own: ['reentrant'], call: [] },
  rwlock: { make: (options: object) => locks.rwlock(name, options).write(), own: [], call: [] },
  semaphore: {
    make: (options: object) => locks.semaphore(name, { capacity: 3, ...options }),
    own: ['permits', 'slot', 'capacity'],
    call: ['permits', 'slot'],
  },
  election: { make: (options: object) => locks.election(name, options), own: ['value'], call: ['value'] },
  all: { make: (options: object) => locks.all([locks.mutex(name)], options), own: [], call: [] },
} as const
const values = { reentrant: true, capacity: 3, permits: 1, slot: true, value: 'me' }
const strangers = Object.entries(kinds).flatMap(([kind, { own, call }]) =>
  Object.keys(values).map((option) => ({
    ...{ kind: kind as keyof typeof kinds, option: option as keyof typeof values },
    ...{ inOwn: (own as readonly string[]).includes(option), inCall: (call as readonly string[]).includes(option) },
  })),
)

describe.each(strangers)('$option of $kind', ({ kind, option, inOwn, inCall }) => {
  const { make, own, call } = kinds[kind]
  const given = { [option]: values[option] }

  test(`is ${inOwn ? 'an option' : 'no option'} of its description`, () => {
    if (inOwn) make(given)
    else expect(() => make(given)).toThrow(`"${option}" is no option here`)
    if (!inOwn) expect(() => make(given)).toThrow(`; there are ${[...take, ...own].join(', ')}`)
  })

  test(`is ${inCall ? 'an option' : 'no option'} of a take`, async () => {
    const thing = make({}) as Lockable
    if (inCall) return await (await thing.tryAcquire(given))?.release()
    const error = await thing.tryAcquire(given).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toContain(`"${option}" is no option here`)
    expect(String(error)).toContain(`; there are ${[...take, ...call].join(', ')}`)
    return undefined
  })
})

test('a reentrant take is told where to say so', async () => {
  const hint = /"reentrant" is no option here: it belongs to .* a mutex, as in mutex\(name, { reentrant: true }\)/
  await expect(locks.mutex(name).run(() => {}, { reentrant: true } as never)).rejects.toThrow(hint)
})

test('a latch and a barrier list what a wait without a lease may say', async () => {
  const hint = /"maxHold" is no option here; there are wait, signal, label$/
  await expect(locks.latch(name, 1).wait({ maxHold: '1m' })).rejects.toThrow(hint)
  await expect(locks.barrier(name, 1).pass({ maxHold: '1m' })).rejects.toThrow(hint)
})

test('what is undefined is not given, also where it could not be', async () => {
  const thing = locks.mutex(name, { permits: undefined } as never)
  await (await thing.acquire({ value: undefined } as never)).release()
})

test('a semaphore without its capacity says what is missing', () => {
  const message = 'options must be an object with a capacity, such as { capacity: 3 }, not '
  expect(() => locks.semaphore(name, 3 as never)).toThrow(`${message}3`)
  expect(() => locks.semaphore(name, undefined as never)).toThrow(`${message}undefined`)
})
