/**
 * The library as a user gets it: packed, unpacked into the `node_modules` of a project of its own outside this
 * repository. Tools that such a project would install are linked from here; nothing is fetched.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root: string = fileURLToPath(new URL('../../../../', import.meta.url))
const library = join(root, 'packages/holdfast')

export interface Packed {
  /** The project's folder; the library is in its `node_modules/holdfast`. */
  readonly project: string
  readonly installed: string
  readonly tarball: string
  /** Paths in the tarball, `package/` left out. */
  readonly files: readonly string[]
  readonly manifest: Manifest
  remove(): void
}

export interface Manifest {
  readonly main: string
  readonly module: string
  readonly types: string
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, Target>>>>
  readonly typesVersions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly [field: string]: unknown
}
interface Target {
  readonly types: string
  readonly default: string
}

export function pack(): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'))
  const project = join(folder, 'project')
  const installed = join(project, 'node_modules/holdfast')
  mkdirSync(installed, { recursive: true })
  const output = run('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder], library)
  const [made] = JSON.parse(output) as {
    readonly filename: string
    readonly files: readonly { readonly path: string }[]
  }[]
  if (made === undefined) throw new Error(`npm pack made no tarball: ${output}`)
  const tarball = join(folder, made.filename)
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed], folder)
  return {
    project,
    installed,
    tarball,
    files: made.files.map(({ path }) => path).sort(),
    manifest: JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** A tarball of the same package after `spoil` has worked on its files; for trying the checks themselves. */
export function spoiled(packed: Packed, name: string, spoil: (folder: string) => void): string {
  const home = join(dirname(packed.tarball), name)
  cpSync(packed.installed, join(home, 'package'), { recursive: true })
  spoil(join(home, 'package'))
  run('tar', ['-czf', `${home}.tgz`, '-C', home, 'package'], home)
  return `${home}.tgz`
}

/** Makes packages of this repository visible to the project, as if it had installed them. */
export function link(packed: Packed, ...names: readonly string[]): void {
  for (const name of names) {
    const from = join(root, 'node_modules', name)
    if (!existsSync(from)) throw new Error(`${name} is not installed: run \`npm ci\` first`)
    const to = join(packed.project, 'node_modules', name)
    mkdirSync(dirname(to), { recursive: true })
    if (!existsSync(to)) symlinkSync(from, to)
  }
}

export function write(packed: Packed, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(packed.project, path)), { recursive: true })
    writeFileSync(join(packed.project, path), text)
  }
}

/** Runs a program to its end and gives its output; what it printed is in the error when it fails. */
export function run(command: string, args: readonly string[], cwd: string): string {
  const { NODE_OPTIONS: _, NODE_PATH: __, ...env } = process.env
  return execFileSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 100_000,
  })
}
