/**
 * Where a database file is, and whether that place will do. SQLite's locks hold between the processes of one machine;
 * on a network file system they may not, and two machines would both be granted. So such places are refused.
 */
import { accessSync, constants, readFileSync, realpathSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { BackendRefusedError } from '../../errors.ts'

/** Which file a path leads to; another one means that the file was deleted or replaced. */
export interface Identity {
  readonly dev: number
  readonly ino: number
}

/** Types of statfs(2) on Linux. */
const NETWORK = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x7461636f, 'OCFS2'],
  [0x01161970, 'GFS2'],
])
const FUSE = 0x65735546
/** What speaks to another machine among the file systems in user space. */
const NETWORK_FUSE =
  /^fuse\.(sshfs|rclone|s3fs|goofys|gcsfuse|blobfuse2?|davfs2?|glusterfs|ceph-fuse|curlftpfs|smbnetfs)$/

/** The name of the network file system of this type; null for all others. `mountedAs` gives what FUSE runs there. */
export function networkName(type: number, mountedAs: () => string | null): string | null {
  const unsigned = type >>> 0
  if (unsigned !== FUSE) return NETWORK.get(unsigned) ?? null
  const name = mountedAs()
  return name !== null && NETWORK_FUSE.test(name) ? name : null
}

/** @throws {BackendRefusedError} when the folder of `file` is on a network file system */
export function refuseNetwork(file: string): void {
  if (process.platform !== 'linux') return
  let name: string | null = null
  try {
    const folder = realpathSync(dirname(file))
    name = networkName(statfsSync(folder).type, () => mountType(folder, readFileSync('/proc/self/mountinfo', 'utf8')))
  } catch {
    return // What is wrong with the folder is told by opening the file.
  }
  if (name !== null) {
    throw new BackendRefusedError(
      `${file} is on a network file system (${name}), where SQLite's locks do not hold: use a local disk, or a server`,
    )
  }
}

/** The type of the file system that holds `folder`, by the text of /proc/self/mountinfo. */
export function mountType(folder: string, mounts: string): string | null {
  let best = ''
  let type: string | null = null
  for (const line of mounts.split('\n')) {
    const [left = '', right = ''] = line.split(' - ')
    const point = (left.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    )
    const holds = point === '/' || folder === point || folder.startsWith(`${point}/`)
    if (!holds || point.length < best.length) continue
    best = point
    type = right.split(' ')[0] ?? null
  }
  return type
}

export function identityOf(file: string): Identity | null {
  try {
    return statSync(file, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

export function isSame(a: Identity | null, b: Identity | null): boolean {
  return a !== null && b !== null && a.ino === b.ino && a.dev === b.dev
}

/**
 * The log and its index belong to one database file. Left behind by one that was deleted, they would be read into the
 * next; SQLite itself removes only the log.
 */
export function removeLeftovers(file: string): void {
  for (const suffix of ['-wal', '-shm']) {
    try {
      rmSync(file + suffix, { force: true })
    } catch {
      // Opening tells what is wrong.
    }
  }
}

/**
 * What stands in the way of opening the file, as far as the file system tells; null: nothing that it knows of, so it
 * may be that too many files are open.
 */
export function obstacleAt(file: string): string | null {
  try {
    const folder = statSync(dirname(file), { throwIfNoEntry: false })
    if (folder === undefined) return 'it cannot be opened, its folder does not exist'
    if (!folder.isDirectory()) return 'it cannot be opened, its folder is not a folder'
    const there = statSync(file, { throwIfNoEntry: false })
    if (there?.isDirectory()) return 'it cannot be opened, it is a folder'
    // The log and its index are made beside it.
    accessSync(dirname(file), constants.R_OK | constants.W_OK | constants.X_OK)
    if (there !== undefined) accessSync(file, constants.R_OK | constants.W_OK)
    return null
  } catch {
    return 'it cannot be opened, access to it or its folder is not permitted'
  }
}
