/**
 * The facts of the port use short ids, and Redis wants those that the library makes: 16 characters for a session, and
 * behind them a point and 8 more for a claim. Short ones are filled up on the way in, which keeps their order, and cut
 * again on the way out. Ids that are long already pass.
 */
import { createHash } from 'node:crypto'
import type { ClaimKey, Ledger, SessionKey } from '../../src/port.ts'

const SESSION = 16
const REST = 8

const shortOf = new Map<string, string>()

function noted(short: string, long: string): string {
  if (long !== short) shortOf.set(long, short)
  return long
}

function longSession(short: string): string {
  return noted(short, short.padEnd(SESSION, '-'))
}

/** A short claim id begins with the letters of its session's. */
function longClaim(short: string): string {
  if (short.length === SESSION + 1 + REST) return short
  const session = /^[a-z]*/.exec(short)?.[0] ?? ''
  const rest = short.slice(session.length)
  const plain = rest.length <= REST && /^[\w.-]*$/.test(rest)
  const tail = plain ? rest.padEnd(REST, '!') : createHash('sha1').update(rest).digest('hex').slice(0, REST)
  return noted(short, `${session.padEnd(SESSION, '-')}.${tail}`)
}

function shortened<T>(answer: T): T {
  if (typeof answer === 'string') return (shortOf.get(answer) ?? answer) as T
  if (Array.isArray(answer)) return answer.map((each: unknown) => shortened(each)) as T
  if (typeof answer !== 'object' || answer === null) return answer
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]: [string, unknown]) => [key, shortened(value)]),
  ) as T
}

export const shortHint = (what: string | null): string | null => shortened(what)

export function withLongIds(ledger: Ledger): Ledger {
  const session = (key: SessionKey): SessionKey => ({ ...key, id: longSession(key.id) })
  const claim = <Key extends ClaimKey>(key: Key): Key => ({ ...key, id: longClaim(key.id) })
  return {
    buckets: ledger.buckets,
    cells: ledger.cells,
    get connections() {
      return ledger.connections
    },
    bucketOf: (name) => ledger.bucketOf(name),
    open: (draft) => ledger.open({ ...draft, id: longSession(draft.id) }),
    end: (key) => ledger.end(session(key)),
    enter: async (key, draft, terms) => shortened(await ledger.enter(session(key), claim(draft), terms)),
    ask: async (key, claims) => shortened(await ledger.ask(session(key), claims.map(claim))),
    leave: (bucket, claims) => ledger.leave(bucket, claims.map(claim)),
    amend: async (key, which, change) => shortened(await ledger.amend(session(key), claim(which), change)),
    beat: async (key, terms) => {
      const after = terms.after === '' ? '' : longClaim(terms.after)
      return shortened(await ledger.beat(session(key), { ...terms, after }))
    },
    evict: (line, id) => ledger.evict(line, id === null ? null : longClaim(id)),
    inspect: async (line) => shortened(await ledger.inspect(line)),
    list: async (prefix, after, limit) => shortened(await ledger.list(prefix, after, limit)),
    listen: () => ledger.listen(),
    unlisten: () => ledger.unlisten(),
    close: () => ledger.close(),
  }
}
