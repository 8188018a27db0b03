/** `holdfast-lab report`: what a run found, as one page. */
import { existsSync, writeFileSync } from 'node:fs'
import type { ReportCommand } from '../contest/command-line.ts'
import { readFindings } from './findings.ts'
import { pageOf } from './page.ts'

export function drawReport({ from, to }: ReportCommand): void {
  if (!existsSync(from)) throw new Error(`${from} is not there: \`holdfast-lab run\` writes it`)
  writeFileSync(to, pageOf(readFindings(from)))
  process.stdout.write(`Drawn: ${to}\n`)
}
