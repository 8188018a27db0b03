/** Where it was measured; figures without it cannot be compared. */
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { findDriver, textIn } from '../sale/driver.ts'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  readonly node: string
  readonly driver: string
  readonly sqlite: string
  /** Of the last minute, before the first round: what others take is missing here. */
  readonly load: number
}

export async function describeMachine(): Promise<Machine> {
  const driver = await findDriver()
  const database = driver.open(':memory:')
  const sqlite = textIn(database.prepare('select sqlite_version() as version').get(), 'version')
  database.close()
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    driver: driver.name,
    sqlite,
    load: Math.round(100 * (loadavg()[0] ?? 0)) / 100,
  }
}

export function machineLine(machine: Machine): string {
  const { cpu, cores, memoryGb, system, node, driver, sqlite, load } = machine
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}, ${driver} (SQLite ${sqlite}), load ${load}`
}
