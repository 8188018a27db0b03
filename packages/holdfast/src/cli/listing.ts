/** `holdfast ls` and `holdfast show`: what others may see of a store. */
import type { ClaimView, Holdfast, LineView } from '../index.ts'
import { type Answer, claimDocument, type Place } from './answer.ts'
import { EXIT } from './exit-code.ts'
import { table } from './table.ts'
import { quoted, visible } from './visible-text.ts'

export async function list(locks: Holdfast, prefix: string, place: Omit<Place, 'name'>): Promise<Answer> {
  const lines: LineView[] = []
  for await (const line of locks.list(prefix === '' ? {} : { prefix })) lines.push(line)
  // They come kind by kind; people look for a name.
  lines.sort((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1))
  const heading = ['NAME', 'KIND', 'HOLDERS', 'WAITERS', 'HOST', 'PID', 'SINCE', 'UNTIL', 'LABEL']
  const rows = lines.map((line) => [
    line.name,
    line.kind,
    String(line.holders.length),
    String(line.waiters.length),
    ...whose(line.holders[0]),
  ])
  return {
    exitCode: EXIT.done,
    document: { outcome: 'listed', exitCode: EXIT.done, ...place, prefix, lines: lines.map(lineDocument) },
    text: (style) => (rows.length === 0 ? '' : table(style, heading, rows)),
    remarks: [...(rows.length === 0 ? ['nothing is held'] : []), remarkOn(place)],
  }
}

export async function show(locks: Holdfast, place: Place): Promise<Answer> {
  const lines = await locks.inspect(place.name)
  const heading = ['KIND', 'STATE', 'ID', 'FENCE', 'HOST', 'PID', 'SINCE', 'UNTIL', 'LABEL']
  const rows = lines.flatMap(({ kind, holders, waiters }) => [
    ...holders.map((claim) => [kind, 'holds', ...shown(claim)]),
    ...waiters.map((claim) => [kind, 'waits', ...shown(claim)]),
  ])
  return {
    exitCode: EXIT.done,
    document: { outcome: 'shown', exitCode: EXIT.done, ...place, lines: lines.map(lineDocument) },
    text: (style) => (rows.length === 0 ? '' : table(style, heading, rows)),
    remarks: [...(rows.length === 0 ? [`nobody holds ${quoted(place.name)}`] : []), remarkOn(place)],
  }
}

function remarkOn({ store, namespace }: Omit<Place, 'name'>): string {
  return `store ${visible(store)}, namespace ${quoted(namespace)}`
}

function shown(claim: ClaimView): readonly string[] {
  return [claim.id, String(claim.fence), ...whose(claim)]
}

function whose(claim: ClaimView | undefined): readonly string[] {
  if (claim === undefined) return ['', '', '', '', '']
  const { host, pid, since, until, detached, label } = claim
  const end = [until?.toISOString(), detached ? 'detached' : undefined].filter((part) => part !== undefined)
  return [host, String(pid), since.toISOString(), end.join(' '), label ?? '']
}

function lineDocument({ name, kind, holders, waiters }: LineView): Readonly<Record<string, unknown>> {
  return { name, kind, holders: holders.map(claimDocument), waiters: waiters.map(claimDocument) }
}
