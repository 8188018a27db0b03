/** The conformance suite on a SQLite file; every Holdfast object opens the file by itself. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { sqlite } from '../../src/backends/sqlite/index.ts'
import { describeConformance } from './suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-conformance-'))
const file = join(folder, 'locks.db')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describeConformance({ name: 'sqlite', connect: () => sqlite(file), ttl: '1s', ttlMs: 1000, buckets: 1, lacks: [] })
