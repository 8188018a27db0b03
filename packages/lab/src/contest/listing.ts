/** `holdfast-lab list`: the staircase and the scenes as text. */
import Table from 'cli-table3'
import { SCENES } from '../scenes/index.ts'
import { MISSING, STRATEGIES } from '../strategies/index.ts'

export function list(out: NodeJS.WritableStream): void {
  const steps = [
    ...STRATEGIES.map(({ step, name, title, store, verdict }) => ({ step, cells: [name, title, store, verdict] })),
    ...MISSING.map(({ step, name, title, needs }) => ({ step, cells: [name, title, `needs ${needs}`, ''] })),
  ].sort((a, b) => a.step - b.step)
  const table = new Table({ head: ['step', 'strategy', '', 'store', 'verdict'], style: { head: [], border: [] } })
  for (const { step, cells } of steps) table.push([String(step), ...cells])
  const scenes = new Table({
    head: ['scene', '', 'with'],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [26, 56, 44],
  })
  for (const { name, title, cases } of SCENES)
    scenes.push([name, title, cases.map(({ strategy }) => strategy).join(', ')])
  out.write(`${table.toString()}\n\n${scenes.toString()}\n`)
}
