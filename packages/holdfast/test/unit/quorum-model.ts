/**
 * A model of the quorum that is small enough to be searched through: nodes, takers of one name, messages that come in any
 * order, late or never, a clock in steps, and nodes that lose all their data. Every state that can be reached is looked
 * at. An answer that is lost is not modelled: a taker may always give up, as if it had not heard of one.
 */

/** A claim lives so long from the step that records it; nobody may ask for longer. */
const TTL = 2
/** A node takes numbers up to so much above its clock. */
export const AHEAD = 3
const NOBODY = -1
const WAYS: readonly Way[] = ['none', 'sent', 'yes', 'young yes', 'over']
const PHASES: readonly Taker['phase'][] = ['idle', 'asking', 'held', 'done']

export interface Scheme {
  /** Takers propose a number; else each node gives its own, and the largest of a majority counts. */
  readonly proposed: boolean
  /** The last number of an empty node is so much above its clock. */
  readonly bornAhead: number
  /** What the yes of a node is worth that has been there for less than a ttl. */
  readonly young: 'as any other' | 'if all say yes'
}

export interface Setting {
  readonly nodes: number
  readonly takers: number
  /** How often a node may lose its data. */
  readonly losses: number
  /** Steps of the clock. */
  readonly until: number
  /** Else the namespace has been there for long. */
  readonly fresh: boolean
}

/** What a taker's request became at a node. */
type Way = 'none' | 'sent' | 'yes' | 'young yes' | 'over'

interface Node {
  readonly last: number
  readonly youngUntil: number
  readonly owner: number
  readonly ends: number
  /** By taker. */
  readonly ways: readonly Way[]
  /** By taker: the number that the claim has here. */
  readonly given: readonly number[]
}

interface Taker {
  readonly phase: 'idle' | 'asking' | 'held' | 'done'
  readonly seq: number
  readonly sent: number
}

interface State {
  readonly clock: number
  readonly losses: number
  /** The highest number that anybody has held with. */
  readonly held: number
  readonly nodes: readonly Node[]
  readonly takers: readonly Taker[]
}

export interface Finding {
  readonly states: number
  /** What goes wrong; null: nothing can. */
  readonly broken: string | null
  /** The steps that lead there. */
  readonly trace: readonly string[]
}

interface Step {
  readonly name: string
  readonly state: State
  readonly broken?: string
}

export function search(scheme: Scheme, setting: Setting): Finding {
  const first = firstState(scheme, setting)
  const from = new Map<string, { readonly before: string | null; readonly name: string }>()
  from.set(keyOf(first), { before: null, name: 'begin' })
  let now: (readonly [State, string])[] = [[first, keyOf(first)]]
  while (now.length > 0) {
    const later: (readonly [State, string])[] = []
    for (const [state, key] of now) {
      for (const { name, state: next, broken } of steps(state, scheme, setting)) {
        if (broken !== undefined) return { states: from.size, broken, trace: [...traceOf(from, key), name] }
        const nextKey = keyOf(next)
        if (from.has(nextKey)) continue
        from.set(nextKey, { before: key, name })
        later.push([next, nextKey])
      }
    }
    now = later
  }
  return { states: from.size, broken: null, trace: [] }
}

function firstState({ bornAhead }: Scheme, { nodes, takers, losses, fresh }: Setting): State {
  const each = <T>(value: T): T[] => Array.from({ length: takers }, () => value)
  const node: Node = {
    last: fresh ? bornAhead : 0,
    youngUntil: fresh ? TTL : 0,
    owner: NOBODY,
    ends: 0,
    ways: each<Way>('none'),
    given: each(0),
  }
  return {
    clock: 0,
    losses,
    held: 0,
    nodes: Array.from({ length: nodes }, () => node),
    takers: each<Taker>({ phase: 'idle', seq: 0, sent: 0 }),
  }
}

function* steps(state: State, scheme: Scheme, setting: Setting): Generator<Step> {
  if (state.clock < setting.until) yield { name: 'time goes on', state: { ...state, clock: state.clock + 1 } }
  const seen = new Set<number>()
  for (const [index, node] of state.nodes.entries()) {
    // Nodes are alike: what one of two equal ones does, the other need not do as well.
    const code = codeOf(node, state.clock)
    if (!seen.has(code)) yield* nodeSteps(state, index, scheme)
    seen.add(code)
  }
  for (const taker of state.takers.keys()) yield* takerSteps(state, taker, scheme)
}

function* nodeSteps(state: State, index: number, scheme: Scheme): Generator<Step> {
  const { clock, losses } = state
  const node = of(state.nodes, index)
  if (losses > 0) {
    const born = { ...node, last: clock + scheme.bornAhead, youngUntil: clock + TTL, owner: NOBODY, ends: 0 }
    yield { name: `node ${index} loses its data`, state: { ...withNode(state, index, born), losses: losses - 1 } }
  }
  for (const [taker, way] of node.ways.entries()) {
    if (way !== 'sent') continue
    yield {
      name: `taker ${taker} comes to node ${index}`,
      state: withNode(state, index, entered(state, node, taker, scheme)),
    }
  }
  // Taken back by a message that may be lost: then it stands until its end.
  if (node.owner !== NOBODY && of(state.takers, node.owner).phase === 'done') {
    const left = { ...node, owner: NOBODY, ends: 0 }
    yield { name: `taker ${node.owner} leaves node ${index}`, state: withNode(state, index, left) }
  }
}

function entered({ clock, takers }: State, node: Node, taker: number, { proposed }: Scheme): Node {
  const { phase, seq: wanted } = of(takers, taker)
  const seq = proposed ? wanted : node.last + 1
  const free = node.owner === NOBODY || node.ends <= clock
  const fits = !proposed || (seq > node.last && seq <= clock + AHEAD)
  const yes = clock < node.youngUntil ? 'young yes' : 'yes'
  const ways = node.ways.map((way, one) => (one !== taker ? way : free && fits && phase === 'asking' ? yes : 'over'))
  if (!free || !fits) return { ...node, ways }
  const given = proposed ? node.given : node.given.map((one, index) => (index === taker ? seq : one))
  return { ...node, ways, given, owner: taker, ends: clock + TTL, last: seq }
}

function* takerSteps(state: State, number: number, scheme: Scheme): Generator<Step> {
  const { clock, nodes } = state
  const taker = of(state.takers, number)
  // Takers are alike as well: they begin in their order.
  if (taker.phase === 'idle' && state.takers[number - 1]?.phase !== 'idle') {
    const top = Math.max(...nodes.map(({ last }) => last))
    // Whatever it has seen before: no number that it may propose does harm.
    for (const seq of new Set(scheme.proposed ? [clock + 1, top + 1, top + 2] : [0])) {
      const sent = nodes.map((node) => ({
        ...node,
        ways: node.ways.map((way, one) => (one === number ? 'sent' : way)),
      }))
      const asking = withTaker(state, number, { phase: 'asking', seq, sent: clock })
      yield { name: `taker ${number} proposes ${seq}`, state: { ...asking, nodes: sent } }
    }
  }
  if (taker.phase === 'asking' && clock < taker.sent + TTL && isAgreed(state, number, scheme)) {
    yield holding(state, number, scheme)
  }
  if (taker.phase === 'asking' || taker.phase === 'held') {
    const over = nodes.map((node) => ({
      ...node,
      ways: node.ways.map((way, one) => (one === number && way !== 'sent' ? 'over' : way)),
    }))
    const done = withTaker(state, number, { ...taker, phase: 'done' })
    yield { name: `taker ${number} gives up or releases`, state: { ...done, nodes: over } }
  }
}

function isAgreed({ nodes }: State, taker: number, { young: worth }: Scheme): boolean {
  const majority = Math.floor(nodes.length / 2) + 1
  const old = nodes.filter(({ ways }) => ways[taker] === 'yes').length
  const young = nodes.filter(({ ways }) => ways[taker] === 'young yes').length
  if (old >= majority) return true
  return old + young >= (worth === 'as any other' ? majority : nodes.length)
}

function holding(state: State, number: number, { proposed }: Scheme): Step {
  const { clock, takers, held } = state
  const taker = of(takers, number)
  const voters = state.nodes.filter(({ ways }) => ways[number] === 'yes' || ways[number] === 'young yes')
  const fence = proposed ? taker.seq : Math.max(...voters.map(({ given }) => of(given, number)))
  const others = takers.some((one, index) => index !== number && one.phase === 'held' && clock < one.sent + TTL)
  const next = { ...withTaker(state, number, { ...taker, phase: 'held' }), held: Math.max(held, fence) }
  const name = `taker ${number} holds with ${fence}`
  if (others) return { name, state: next, broken: 'two hold at once' }
  return fence <= held ? { name, state: next, broken: 'a fence does not rise' } : { name, state: next }
}

function of<T>(list: readonly T[], index: number): T {
  return list[index] as T
}

function withNode(state: State, index: number, node: Node): State {
  return { ...state, nodes: state.nodes.map((one, at) => (at === index ? node : one)) }
}

function withTaker(state: State, index: number, taker: Taker): State {
  return { ...state, takers: state.takers.map((one, at) => (at === index ? taker : one)) }
}

/** A node as one number: of what is past, it does not matter when it was. */
function codeOf({ last, youngUntil, owner, ends, ways }: Node, clock: number): number {
  const left = Math.max(0, ends - clock)
  let code = last
  code = code * (TTL + 1) + Math.max(0, youngUntil - clock)
  code = code * (TTL + 1) + left
  code = code * (ways.length + 1) + (left === 0 ? NOBODY : owner) + 1
  for (const way of ways) code = code * WAYS.length + WAYS.indexOf(way)
  return code
}

/** Nodes are alike, so their order does not count. */
function keyOf({ clock, losses, held, nodes, takers }: State): string {
  const codes = nodes.map(
    (node) => `${codeOf(node, clock)}${node.given.every((one) => one === 0) ? '' : `(${node.given})`}`,
  )
  let who = (clock * 8 + losses) * 32 + held
  for (const { phase, seq, sent } of takers) {
    who = ((who * PHASES.length + PHASES.indexOf(phase)) * 32 + seq) * 16 + (phase === 'done' ? 0 : sent)
  }
  return `${codes.sort().join(' ')} ${who}`
}

function traceOf(
  from: ReadonlyMap<string, { readonly before: string | null; readonly name: string }>,
  last: string,
): string[] {
  const trace: string[] = []
  for (let key: string | null = last; key !== null; ) {
    const step = from.get(key)
    trace.unshift(step?.name ?? '')
    key = step?.before ?? null
  }
  return trace
}
