/**
 * Claims as rows, and the pieces of SQL that several files share. `LIVE` is the one definition of life in SQL: neither
 * the session nor the claim's own hard end has passed. It takes the time as its one value.
 */

/** A claim as the rule needs it, with the end of its session. */
export interface ClaimRecord {
  readonly line: string
  readonly seq: number
  readonly id: string
  readonly session: string
  readonly weight: number
  readonly capacity: number
  readonly open: number
  readonly slot: number | null
  /** Its own hard end, once it is open. */
  readonly dead_ms: number | null
  readonly hold_ms: number | null
  /** Sum of `SLOT` and `DETACHED`. */
  readonly flags: number
  /** The end of its session; null: there is no such session. */
  readonly ends_ms: number | null
}
export const SLOT = 1
export const DETACHED = 2

export const CLAIM =
  'c.line, c.seq, c.id, c.session, c.weight, c.capacity, c.open, c.slot, c.dead_ms, c.hold_ms, c.flags, s.ends_ms'

export const CLAIMS = 'hf_claim c left join hf_session s on s.ns = c.ns and s.id = c.session'

export const LIVE = 'coalesce(min(s.ends_ms, coalesce(c.dead_ms, 9e99)) > ?, 0)'

/** A session's claim ids `i`: they begin with its own. */
export const ofSession = (ns: string, session: string): string =>
  `i.ns = ${ns} and i.id >= ${session} and i.id < ${session} || char(1114111) and i.session = ${session}`

/** Claims by their ids. */
export const IDS = 'hf_claim_id i cross join hf_claim c on c.ns = i.ns and c.line = i.line and c.seq = i.seq'

/**
 * Whether others wait in a line, or somebody tried within the last slice, which is noted at the first claim. Asked in
 * this way both are found at once, however long the line is. Takes the time four times.
 */
export const contended = (ns: string, line: string, session: string): string => {
  const waits = (which: string): string =>
    `exists (select 1 from ${CLAIMS} where c.ns = ${ns} and c.line = ${line} and c.open = 0 and c.session ${which} and ${LIVE})`
  return `(${waits(`< ${session}`)} or ${waits(`> ${session}`)} or exists (
    select 1 from (select * from hf_claim where ns = ${ns} and line = ${line} order by seq limit 1) c
    join hf_session s on s.ns = c.ns and s.id = c.session where c.tried_ms > ? and ${LIVE}))`
}

/** When the claim ends if nobody beats its session again. */
export function endOf(claim: Pick<ClaimRecord, 'dead_ms' | 'ends_ms'>): number {
  return Math.min(claim.ends_ms ?? Number.NEGATIVE_INFINITY, claim.dead_ms ?? Number.POSITIVE_INFINITY)
}
