/** Where the default store lives: the folder in which this system's programs keep a user's state. */
import { posix, win32 } from 'node:path'

export interface Surroundings {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: string
}

export function stateFolder({ platform, environment, home }: Surroundings): string {
  if (platform === 'win32') {
    const local = environment.LOCALAPPDATA
    return win32.join(local ? local : win32.join(home, 'AppData', 'Local'), 'holdfast')
  }
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'holdfast')
  const state = environment.XDG_STATE_HOME
  // The XDG specification: a relative path is to be ignored.
  return posix.join(state?.startsWith('/') ? state : posix.join(home, '.local', 'state'), 'holdfast')
}
