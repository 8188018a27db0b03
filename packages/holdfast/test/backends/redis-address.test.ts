/** URLs and options of a Redis: what they mean, and what a wrong one is told, which is never a password. */
import { describe, expect, test } from 'vitest'
import { redis } from '../../src/backends/redis/index.ts'
import { addressOf } from '../../src/backends/redis/options.ts'
import { type Address, masked, parseRedisUrl, REDIS_SCHEMES, redisUrlOf } from '../../src/backends/redis-address.ts'
import { holdfast } from '../../src/index.ts'

const SERVER: Address = {
  kind: 'server',
  hosts: [{ host: 'h', port: 6379 }],
  name: null,
  username: null,
  password: null,
  db: 0,
  tls: false,
  sentinelUsername: null,
  sentinelPassword: null,
}
const sentinels = [
  { host: 'h1', port: 26379 },
  { host: 'h2', port: 5 },
]

const right: readonly (readonly [string, Address])[] = [
  ['redis://h', SERVER],
  ['redis://h/', SERVER],
  ['redis://h:7/3', { ...SERVER, hosts: [{ host: 'h', port: 7 }], db: 3 }],
  ['rediss://h', { ...SERVER, tls: true }],
  ['redis://[::1]:7', { ...SERVER, hosts: [{ host: '::1', port: 7 }] }],
  ['redis://:p@h', { ...SERVER, password: 'p' }],
  ['redis://u:p%40%2F%3A%F0%9F%94%92:x@h', { ...SERVER, username: 'u', password: 'p@/:🔒:x' }],
  ['redis://u:p@ss@h', { ...SERVER, username: 'u', password: 'p@ss' }],
  [
    'redis+sentinel://u:p@h1,h2:5/the%20primary/2',
    { ...SERVER, kind: 'sentinel', hosts: sentinels, username: 'u', password: 'p', name: 'the primary', db: 2 },
  ],
  ['rediss+sentinel://h1,h2:5/p', { ...SERVER, kind: 'sentinel', hosts: sentinels, name: 'p', tls: true }],
  [
    'redis+cluster://h,[fe80::1]',
    { ...SERVER, kind: 'cluster', hosts: [...SERVER.hosts, { host: 'fe80::1', port: 6379 }] },
  ],
]

describe('URLs', () => {
  test.each(right)('%s is understood', (url, address) => {
    expect(parseRedisUrl('target', url)).toEqual(address)
  })

  test.each(right)('%s survives being written down', (url) => {
    const address = parseRedisUrl('target', url)
    expect(parseRedisUrl('target', redisUrlOf(address) ?? '')).toEqual(address)
  })

  const wrong: readonly (readonly [string, RegExp])[] = [
    ['redis:h', /'\/\/' must follow/],
    ['redis://', /host is ""/],
    ['redis:///0', /host is ""/],
    ['redis://h:0', /port must be .* not "0"/],
    ['redis://h:65536', /port must be .* not "65536"/],
    ['redis://h:', /port must be .* not ""/],
    ['redis://h:6379x', /port must be .* not "6379x"/],
    ['redis://h/one', /database must be a whole number, not "one"/],
    ['redis://h/-1', /database must be a whole number, not "-1"/],
    ['redis://h/1e1', /database must be a whole number, not "1e1"/],
    ['redis://h/0/1', /too much follows the hosts: "\/0\/1"/],
    ['redis://h1,h2', /redis\+sentinel: and redis\+cluster:/],
    ['redis://h?db=1', /nothing may follow '\?'/],
    ['redis://h#x', /nothing may follow/],
    ['redis://user@h', /user needs a password/],
    ['redis://h h', /percent-encoded/],
    ['redis://h\0', /percent-encoded/],
    ['redis://h\ud800', /percent-encoded/],
    ['redis://::1', /host|port/],
    [`redis://${'h'.repeat(5000)}`, /4096 bytes/],
    ['redis+sentinel://h', /name that Sentinel has/],
    ['redis+sentinel://h/', /name that Sentinel has/],
    ['redis+sentinel://h/%zz', /name is not percent-encoded/],
    ['redis+sentinel://h/p/x', /database must be a whole number, not "x"/],
    ['redis+sentinel://,/p', /host is ""/],
    ['redis+cluster://h/1', /database 0 only/],
  ]
  test.each(wrong)('%s is refused, with the part that is wrong', (url, message) => {
    expect(() => parseRedisUrl('target', url)).toThrow(RangeError)
    expect(() => parseRedisUrl('target', url)).toThrow(/^target /)
    expect(() => parseRedisUrl('target', url)).toThrow(message)
    expect(() => holdfast(url, { namespace: 'shop' })).toThrow(message)
  })

  const secret = ['geheim', 'ge/heim', 'ge?heim', 'ge#heim', 'ge:heim', 'ge@heim', 'ge heim', 'ge%zzheim', 'ge\0heim']
  const around = REDIS_SCHEMES.concat('redis+other', 'postgres').flatMap((scheme) =>
    secret.flatMap((password) => [
      `${scheme}://u:${password}@h:x`,
      `${scheme}://u:${password}@h/a/b/c`,
      `${scheme}:u:${password}@h`,
    ]),
  )
  test('no message shows a password, or a piece of one', () => {
    for (const url of around) {
      let message = ''
      try {
        holdfast(url, { namespace: 'shop' })
      } catch (error) {
        message = String(error)
      }
      expect(message, url).toContain('target')
      expect(message, url).not.toMatch(/ge\W|heim/)
    }
  })

  test('a URL is shown without what stands before its hosts', () => {
    expect(masked('x://u:p@h')).toBe('x://…@h')
    expect(masked('x://h')).toBe('x://h')
  })
})

describe('options', () => {
  test('say the same as URLs', () => {
    expect(addressOf({ url: 'redis://h' })).toEqual(SERVER)
    expect(addressOf({ url: 'redis://h', tls: { ca: 'x' } })).toEqual({ ...SERVER, tls: { ca: 'x' } })
    expect(addressOf({ cluster: [{ host: 'h' }], password: 'p' })).toEqual({
      ...SERVER,
      kind: 'cluster',
      password: 'p',
    })
    expect(
      addressOf({ sentinels: [{ host: 'h1' }, { host: 'h2', port: 5 }], name: 'p', sentinelPassword: 's' }),
    ).toEqual({
      ...SERVER,
      kind: 'sentinel',
      hosts: sentinels,
      name: 'p',
      sentinelPassword: 's',
    })
  })

  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /client .* not undefined/],
    [null, /client .* not null/],
    [5, /client .* not 5/],
    [{}, /client .* not object/],
    [[], /client .* not an array/],
    [() => {}, /client .* not function/],
    ['', /client must be a URL/],
    ['localhost', /client must be a URL/],
    ['redis+module:./x.mjs', /client must be a file: URL/],
    [{ url: 5 }, /url must be a string, not 5/],
    [{ url: 'x' }, /url must be a URL/],
    [{ url: 'redis://h', db: 1 }, /"db" is no option here/],
    [{ url: 'redis://h', tls: 1 }, /tls must be .* not 1/],
    [{ url: 'redis://h', tls: null }, /tls must be .* not null/],
    [{ sentinels: 'h' }, /name must be a string, not undefined/],
    [{ sentinels: 'h', name: 'p' }, /sentinels must be an array of hosts, not "h"/],
    [{ sentinels: [], name: 'p' }, /sentinels must name a host/],
    [{ sentinels: ['h'], name: 'p' }, /sentinels must have objects .* not "h"/],
    [{ sentinels: [{ host: 'h', port: '1' }], name: 'p' }, /port in sentinels must be a whole number, not "1"/],
    [{ sentinels: [{ host: 'h' }], name: '' }, /name must not be empty/],
    [{ sentinels: [{ host: 'h' }], name: 'p', db: -1 }, /db must be a whole number from 0, not -1/],
    [{ cluster: [{ host: '' }] }, /host in cluster is ""/],
    [{ cluster: [{ host: 'h', port: 70_000 }] }, /port in cluster must be from 1 to 65535, not 70000/],
    [{ cluster: [{ host: 'h' }], db: 1 }, /"db" is no option here/],
    [{ cluster: [{ host: 'h' }], password: '' }, /password must be neither empty/],
    [{ cluster: [{ host: 'h' }], username: 'u' }, /username needs a password/],
    [{ cluster: [{ host: 'h' }], password: 5 }, /password must be a string, not number/],
    [{ connect: 5 }, /connect must be the address of a module, not 5/],
    [{ connect: './x.mjs' }, /connect must be a file: URL, .* not ".\/x.mjs"/],
    [{ connect: 'https://x/y.mjs' }, /connect must be a file: URL/],
    [{ connect: '/x.mjs', replicas: 1 }, /client must be/],
  ]
  test.each(wrong)('%o is refused at once, naming option and value', (given, message) => {
    const call = (): unknown => redis(given as never)
    expect(call).toThrow(message)
    expect(call).toThrow(given === '' || typeof given === 'string' ? RangeError : /./)
  })

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 101])('replicas: %d is refused', (replicas) => {
    expect(() => redis('redis://h', { replicas })).toThrow(RangeError)
    expect(() => redis('redis://h', { replicas })).toThrow(
      `replicas must be a whole number from 0 to 100, not ${replicas}`,
    )
  })

  test.each(['1', null, {}, true])('replicas: %o is refused as no number', (replicas) => {
    expect(() => redis('redis://h', { replicas: replicas as never })).toThrow(TypeError)
  })

  test('a misspelt option is refused', () => {
    expect(() => redis('redis://h', { replica: 1 } as never)).toThrow(/"replica" is no option here; there is replicas/)
    expect(() => redis('redis://h', null as never)).toThrow(/options must be an object, not null/)
  })
})
