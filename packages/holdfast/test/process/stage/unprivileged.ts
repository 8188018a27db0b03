/** A party that may not write where others may: one that gave up root's rights, or any if the tests do not run as root. */
import type { Party } from './party.ts'
import type { Stage } from './stage.ts'

/** The user and group `nobody` of most systems; neither needs to have a name. */
const NOBODY = 65_534

export async function powerless(stage: Stage): Promise<Party> {
  const party = await stage.start()
  if (process.getuid?.() !== 0) return party
  // The driver is loaded before: where it lies, only root may be able to read.
  await party.order('open', {
    object: 'earlier',
    file: `${stage.file}.earlier`,
    options: { heartbeat: 'main' },
    ready: true,
  })
  await party.order('close', { object: 'earlier' })
  await party.order('become', { uid: NOBODY, gid: NOBODY })
  return party
}
