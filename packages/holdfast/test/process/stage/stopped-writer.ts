/** A process that was stopped in the middle of a write transaction: until it goes on or ends, nobody can write to the file. */
import type { Party } from './party.ts'
import type { Stage } from './stage.ts'

/** Resolves once it stands still inside. `goOn` lets it commit. */
export async function stopInsideWrite(stage: Stage, file: string): Promise<Party> {
  const writer = await stage.start()
  await writer.order('beginWrite', { file })
  writer.stop()
  return writer
}
