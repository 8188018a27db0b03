/** `holdfast-lab report`: what a run found, as one page. */
import { writeFileSync } from 'node:fs'
import type { ReportCommand } from '../contest/command-line.ts'
import { readFindings } from './findings.ts'
import { pageOf } from './page.ts'

export async function drawReport({ from, to }: ReportCommand): Promise<void> {
  writeFileSync(to, pageOf(readFindings(from)))
  process.stdout.write(`Drawn: ${to}\n`)
}
