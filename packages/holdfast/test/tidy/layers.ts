/**
 * Who may import whom. A file that no layer names is an error too: a new one is given its place here on purpose.
 */
import ts from 'typescript'
import { finding, imports, inEach, isCode, isLibrary, type Rule } from './repository.ts'

interface Layer {
  readonly name: string
  readonly at: RegExp
  /** Layers it may import besides itself. */
  readonly may: readonly string[]
  /** Layers it may load on demand (`import()`) or take types from, but not import outright. */
  readonly later?: readonly string[]
}

const SRC = 'packages/holdfast/src/'
/** For the version that is shown. */
const PACKAGE = 'packages/holdfast/package.json'
const FOUNDATION = ['foundation']

/** The first layer that matches counts. A folder among backends is a layer of its own, so backends never meet. */
const layers: readonly Layer[] = [
  {
    name: 'foundation',
    at: /^(admission|clock|console|duration|errors|json|names|random[\w-]*|turn)\.ts$/,
    may: [],
  },
  { name: 'port', at: /^port\.ts$/, may: FOUNDATION },
  { name: 'surface', at: /^(api|options|events|backend)\.ts$/, may: ['foundation', 'port'] },
  { name: 'backend rules', at: /^backends\/[\w-]+\.ts$/, may: ['foundation', 'port', 'surface'] },
  { name: 'backend', at: /^backends\//, may: ['foundation', 'port', 'surface', 'backend rules'] },
  { name: 'verify', at: /^verify\//, may: ['foundation'] },
  { name: 'guard', at: /^guards\//, may: ['foundation', 'surface'] },
  { name: 'keeper', at: /^(keeper|front|lease)[/.]/, may: ['foundation', 'port', 'surface'] },
  { name: 'engine', at: /^engine\.ts$/, may: ['foundation', 'port', 'surface', 'keeper'] },
  { name: 'primitive', at: /^primitives\//, may: ['foundation', 'port', 'surface', 'keeper'], later: ['engine'] },
  {
    name: 'root',
    at: /^(index|holdfast|url)\.ts$/,
    may: ['foundation', 'port', 'surface', 'keeper', 'primitive', 'backend rules'],
    later: ['backend', 'engine'],
  },
  { name: 'cli', at: /^cli\//, may: ['foundation', 'entry'] },
]

const ENTRIES = /^(index|backends\/[\w-]+\/index|(guards|verify)\/index)\.ts$/
const PEERS: ReadonlySet<string> = new Set(['libsql', 'better-sqlite3'])

const layerOf = (path: string): Layer | undefined => {
  const inside = path.slice(SRC.length)
  return layers.find((layer) => layer.at.test(inside))
}

/** `backends/sqlite/…` and `backends/memory/…` are two homes; other layers are one each. */
const homeOf = (path: string): string => {
  const [, backend] = /^backends\/([\w-]+)\//.exec(path.slice(SRC.length)) ?? []
  return backend === undefined ? (layerOf(path)?.name ?? path) : `backends/${backend}`
}

function mayImport(from: Layer, path: string, target: string, way: 'types' | 'static' | 'dynamic'): boolean {
  if (homeOf(path) === homeOf(target) || target === PACKAGE) return true
  const to = layerOf(target)
  if (to === undefined) return false
  if (from.may.includes(to.name)) return true
  if (from.may.includes('entry') && ENTRIES.test(target.slice(SRC.length))) return true
  return way !== 'static' && (from.later ?? []).includes(to.name)
}

const isTypeOnly = (statement: ts.Statement): boolean =>
  ts.isInterfaceDeclaration(statement) ||
  ts.isTypeAliasDeclaration(statement) ||
  ts.isImportDeclaration(statement) ||
  (ts.isExportDeclaration(statement) && statement.isTypeOnly)

const file = (name: string, text: string): Record<string, string> => ({ [SRC + name]: text })

export const rules: readonly Rule[] = [
  {
    says: 'imports point down the layers, and backends never meet',
    broken: inEach(isLibrary, function* (tree, path) {
      const layer = layerOf(path)
      if (layer === undefined) {
        yield { at: 0, what: 'is in no layer: name one in layers.ts' }
        return
      }
      for (const { node, path: target, way } of imports(tree)) {
        if (target === null || mayImport(layer, path, target, way)) continue
        yield finding(node, `(${layer.name}) must not import ${target} (${layerOf(target)?.name ?? 'outside'})`)
      }
    }),
    planted: [
      file('backends/sqlite/index.ts', "import { mutex } from '../../primitives/mutex.ts'"),
      file('backends/sqlite/index.ts', "import { place } from '../../front/front.ts'"),
      file('backends/sqlite/index.ts', "import type { Tenure } from '../../keeper/tenure.ts'"),
      file('backends/sqlite/index.ts', "export { line } from '../memory/line.ts'"),
      file('backends/rules.ts', "import { line } from './memory/line.ts'"),
      file('admission.ts', "import type { Port } from './port.ts'"),
      file('port.ts', "import { session } from './keeper/session.ts'"),
      file('primitives/mutex.ts', "const sqlite = await import('../backends/sqlite/index.ts')"),
      file('keeper/session.ts', "import { mutex } from '../primitives/mutex.ts'"),
      file('index.ts', "import { sqlite } from './backends/sqlite/index.ts'"),
      file('cli/main.ts', "import { session } from '../keeper/session.ts'"),
      file('cli/main.ts', "import { open } from '../backends/sqlite/open.ts'"),
      file('guards/index.ts', "let x: import('../front/front.ts').Front"),
      file('somewhere/new.ts', ''),
    ],
    fine: [
      file('backends/sqlite/index.ts', "import { line } from './line.ts'\nimport type { Port } from '../../port.ts'"),
      file('index.ts', "const { sqlite } = await import('./backends/sqlite/index.ts')"),
      file('index.ts', "import type { Store } from './backends/sqlite/index.ts'"),
      file(
        'cli/main.ts',
        "import { holdfast } from '../index.ts'\nimport { sqlite } from '../backends/sqlite/index.ts'",
      ),
      file('names.ts', "// import { x } from './front/front.ts'\nconst text = \"import './index.ts'\""),
    ],
  },
  {
    says: 'the port is types only',
    broken: inEach(
      (path) => path === `${SRC}port.ts`,
      function* (tree) {
        for (const { node, way, specifier } of imports(tree)) {
          if (way !== 'types') yield finding(node, `imports ${specifier} at run time`)
        }
        for (const statement of tree.statements) {
          if (!isTypeOnly(statement)) yield finding(statement, 'is more than a type')
        }
      },
    ),
    planted: [
      file('port.ts', 'export const limit = 5'),
      file('port.ts', "import { systemClock } from './clock.ts'"),
      file('port.ts', 'export class Session {}'),
    ],
    fine: [file('port.ts', "import type { Clock } from './clock.ts'\nexport interface Port { readonly clock: Clock }")],
  },
  {
    says: 'the library imports nothing but Node and, on demand, its optional peers',
    broken: inEach(isLibrary, function* (tree) {
      for (const { node, specifier, path, way } of imports(tree)) {
        if (path !== null || specifier.startsWith('node:')) continue
        if (way !== 'static' && PEERS.has(specifier)) continue
        yield finding(node, `imports ${specifier}`)
      }
    }),
    planted: [
      file('index.ts', "import pino from 'pino'"),
      file('backends/sqlite/index.ts', "import Database from 'libsql'"),
      file('index.ts', "import { open } from 'fs'"),
    ],
    fine: [
      file('backends/sqlite/index.ts', "import type Database from 'libsql'\nconst driver = await import('libsql')"),
      file('index.ts', "import { open } from 'node:fs'"),
    ],
  },
  {
    says: 'no file imports itself by way of others',
    broken: (repository) => {
      const next = new Map(
        repository.paths.filter(isCode).map((path) => [
          path,
          Array.from(imports(repository.tree(path)))
            .filter(({ way }) => way === 'static')
            .flatMap(({ path: target }) => (target === null ? [] : [target])),
        ]),
      )
      return cycles(next)
    },
    planted: [
      {
        'packages/lab/src/a.ts': "import { b } from './b.ts'",
        'packages/lab/src/b.ts': "export { c } from './c.ts'",
        'packages/lab/src/c.ts': "import { a } from './a.ts'",
      },
    ],
    fine: [
      {
        'packages/lab/src/a.ts': "import { b } from './b.ts'\nimport { c } from './c.ts'",
        'packages/lab/src/b.ts': "import type { A } from './a.ts'\nimport { c } from './c.ts'",
        'packages/lab/src/c.ts': '',
      },
    ],
  },
]

/** One line for each cycle found from a file that is first on it in the order of names. */
function cycles(next: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path)
    if (seen >= 0) {
      found.push([...trail.slice(seen), path].join(' imports '))
      return
    }
    if (done.has(path)) return
    for (const target of next.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of next.keys()) visit(path, [])
  return found
}
