/** What all nodes together show of lines to people, and the release by force, which is done at each of them. */
import type { ClaimRow, LineRow } from '../../port.ts'
import { majorityOf } from './claim.ts'
import type { Node } from './node.ts'
import { Questions } from './questions.ts'
import { isSemaphore, nodePrefix, slotIn, slotsOf } from './slots.ts'

const PAGE = 200

interface Seen {
  readonly node: Node
  readonly lines: readonly LineRow[]
}

export class Census {
  readonly #nodes: readonly Node[]
  readonly #questions: Questions

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes
    this.#questions = new Questions(nodes)
  }

  async inspect(line: string): Promise<LineRow | null> {
    const seen = await this.#look((node) => this.#linesAt(node, line))
    return this.#merge(seen).find((row) => row.line === line) ?? null
  }

  async list(prefix: string, after: string, limit: number): Promise<readonly LineRow[]> {
    const seen = await this.#look((node) => pages(node, nodePrefix(prefix)))
    return this.#merge(seen)
      .filter(({ line }) => Buffer.compare(Buffer.from(line), Buffer.from(after)) > 0)
      .slice(0, limit)
  }

  /** How many claims were ended; counted once for each, at how many nodes it ever stood. */
  async evict(line: string, claimId: string | null): Promise<number> {
    const ended = new Set<string>()
    await this.#questions.majority('released it by force', async (node) => {
      for (const row of await this.#linesAt(node, line)) {
        for (const { id, open, value } of row.claims) {
          const claim = value ?? id
          if (!open || (claimId !== null && claim !== claimId)) continue
          const { evicted } = await node.call((ledger) => ledger.evict(row.line, id))
          if (evicted > 0) ended.add(claim)
        }
      }
    })
    return ended.size
  }

  /** Waits for all that answer, for what one of them has another need not have. */
  async #look(work: (node: Node) => Promise<readonly LineRow[]>): Promise<readonly Seen[]> {
    const looks = this.#nodes.map(async (node) => ({ node, lines: await work(node) }))
    await this.#questions.majority('could be asked', (node) => looks[this.#nodes.indexOf(node)] as Promise<Seen>)
    const settled = await Promise.allSettled(looks)
    return settled.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
  }

  async #linesAt(node: Node, line: string): Promise<readonly LineRow[]> {
    if (isSemaphore(line)) return (await pages(node, slotsOf(line))).filter((row) => slotIn(row.line)?.line === line)
    const row = await node.call((ledger) => ledger.inspect(line))
    return row === null ? [] : [row]
  }

  #merge(seen: readonly Seen[]): readonly LineRow[] {
    const lines = new Map<string, Map<string, { row: ClaimRow; readonly nodes: Set<Node> }>>()
    for (const { node, lines: rows } of seen) {
      for (const row of rows) {
        const slot = slotIn(row.line)
        const claims = lines.get(slot?.line ?? row.line) ?? new Map()
        lines.set(slot?.line ?? row.line, claims)
        for (const claim of row.claims) {
          const id = claim.value ?? claim.id
          const known = claims.get(id)
          if (known === undefined) {
            const shown = { ...claim, id, value: null, slot: slot?.slot ?? null }
            claims.set(id, { row: shown, nodes: new Set([node]) })
          } else known.nodes.add(node)
        }
      }
    }
    const asked = new Set(seen.map(({ node }) => node))
    return [...lines]
      .map(([line, claims]) => ({
        line,
        claims: [...claims.values()].map(({ row, nodes }) => this.#shown(row, nodes, asked)),
      }))
      .sort((a, b) => Buffer.compare(Buffer.from(a.line), Buffer.from(b.line)))
  }

  /** Below a majority it is an attempt under way, or what is left of one. */
  #shown(row: ClaimRow, having: ReadonlySet<Node>, asked: ReadonlySet<Node>): ClaimRow {
    const votes = this.#nodes.map((node) => ({
      node: node.name,
      vote: having.has(node) ? ('yes' as const) : asked.has(node) ? ('no' as const) : ('unknown' as const),
    }))
    return { ...row, open: having.size >= majorityOf(this.#nodes.length), votes }
  }
}

async function pages(node: Node, prefix: string): Promise<readonly LineRow[]> {
  const rows: LineRow[] = []
  for (let after = ''; ; ) {
    const page = await node.call((ledger) => ledger.list(prefix, after, PAGE))
    rows.push(...page)
    if (page.length < PAGE) return rows
    after = page.at(-1)?.line ?? after
  }
}
