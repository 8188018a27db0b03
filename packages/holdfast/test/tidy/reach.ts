/**
 * What the library may touch of the outside: time only through the clock, chance only through `random`, the terminal
 * only from the command line. Names are looked at as syntax: a property, a type or a local of the same name is no use
 * of the global.
 */
import ts from 'typescript'
import { type Finding, finding, imports, inEach, isLibrary, nodes, type Rule } from './repository.ts'

const SRC = 'packages/holdfast/src/'

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate']
const CLOCKS = ['Date', 'performance', ...TIMERS]
const CLOCK_MODULES = ['node:timers', 'node:timers/promises', 'node:perf_hooks']
/** `object.property` that tells or takes time; `*` stands for any object. */
const CLOCK_PROPERTIES = [
  'process.hrtime',
  'process.uptime',
  'os.uptime',
  'AbortSignal.timeout',
  'Atomics.wait',
  'Atomics.waitAsync',
]
const RANDOM_PROPERTIES = [
  'Math.random',
  'crypto.getRandomValues',
  'crypto.randomUUID',
  'crypto.randomBytes',
  'crypto.randomInt',
]
const RANDOM_IMPORTS = /^(random|getRandomValues|webcrypto)/

const isClock = (path: string): boolean => new RegExp(`^${SRC}clock[\\w-]*\\.ts$`).test(path)
const isRandom = (path: string): boolean => new RegExp(`^${SRC}random[\\w-]*\\.ts$`).test(path)
const isCli = (path: string): boolean => path.startsWith(`${SRC}cli/`)

/** Identifiers of the file that mean a global: read as a value, and bound nowhere in it. */
function* globals(tree: ts.SourceFile): Generator<ts.Identifier> {
  const bound = new Set<string>()
  const used: ts.Identifier[] = []
  for (const node of nodes(tree)) {
    if (!ts.isIdentifier(node)) continue
    if (isBinding(node)) bound.add(node.text)
    else if (isValue(node)) used.push(node)
  }
  for (const node of used) if (!bound.has(node.text)) yield node
}

function isBinding(node: ts.Identifier): boolean {
  const { parent } = node
  return (
    (ts.isVariableDeclaration(parent) ||
      ts.isParameter(parent) ||
      ts.isBindingElement(parent) ||
      ts.isFunctionDeclaration(parent) ||
      ts.isClassDeclaration(parent) ||
      ts.isImportSpecifier(parent) ||
      ts.isImportClause(parent) ||
      ts.isNamespaceImport(parent)) &&
    parent.name === node
  )
}

function isValue(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node
  if (ts.isTypeReferenceNode(parent) || ts.isQualifiedName(parent) || ts.isExpressionWithTypeArguments(parent))
    return false
  if (ts.isTypeParameterDeclaration(parent) || ts.isTypeAliasDeclaration(parent)) return false
  if (
    (ts.isTypeElement(parent) || ts.isClassElement(parent) || ts.isObjectLiteralElement(parent)) &&
    parent.name === node
  ) {
    return ts.isShorthandPropertyAssignment(parent)
  }
  return true
}

/** `a.b` and `globalThis.a.b`, also with `import * as`, as text. */
function* properties(tree: ts.SourceFile): Generator<{ readonly node: ts.Node; readonly text: string }> {
  for (const node of nodes(tree)) {
    if (!ts.isPropertyAccessExpression(node)) continue
    yield {
      node,
      text: node
        .getText()
        .replace(/\s/g, '')
        .replaceAll('?.', '.')
        .replace(/^(globalThis|global)\./, ''),
    }
  }
}

/** The names a file takes from a module, `*` for all of it. */
function* taken(tree: ts.SourceFile, module: string): Generator<{ readonly node: ts.Node; readonly name: string }> {
  for (const { node, specifier, way } of imports(tree)) {
    if (specifier !== module || way === 'types') continue
    const clause = ts.isImportDeclaration(node) ? node.importClause : undefined
    const bindings = clause?.namedBindings
    if (bindings && ts.isNamedImports(bindings) && !clause?.name) {
      for (const element of bindings.elements)
        yield { node: element, name: (element.propertyName ?? element.name).text }
    } else yield { node, name: '*' }
  }
}

function* touches(tree: ts.SourceFile, names: readonly string[], dotted: readonly string[]): Generator<Finding> {
  for (const node of globals(tree)) if (names.includes(node.text)) yield finding(node, `uses ${node.text}`)
  for (const { node, text } of properties(tree)) {
    if (dotted.includes(text)) yield finding(node, `uses ${text}`)
    else if (names.includes(text)) yield finding(node, `uses ${text}`)
  }
}

const at = (name: string, text: string): Record<string, string> => ({ [SRC + name]: text })

export const rules: readonly Rule[] = [
  {
    says: 'only the clock touches time',
    broken: inEach(
      (path) => isLibrary(path) && !isClock(path),
      function* (tree) {
        yield* touches(tree, CLOCKS, CLOCK_PROPERTIES)
        for (const { node, specifier, way } of imports(tree)) {
          if (way !== 'types' && CLOCK_MODULES.includes(specifier)) yield finding(node, `imports ${specifier}`)
        }
        for (const { node, name } of taken(tree, 'node:os'))
          if (name === 'uptime') yield finding(node, 'imports uptime')
        for (const { node, name } of taken(tree, 'node:process')) {
          if (name !== '*' && /^(hrtime|uptime)$/.test(name)) yield finding(node, `imports ${name}`)
        }
      },
    ),
    planted: [
      at('index.ts', 'const now = Date.now()'),
      at('index.ts', 'const shown = new Date(5)'),
      at('index.ts', 'setTimeout(() => {}, 5)'),
      at('index.ts', 'globalThis.setTimeout(() => {}, 5)'),
      at('index.ts', 'const arm = setInterval'),
      at('index.ts', 'const start = process.hrtime.bigint()'),
      at('index.ts', 'const start = performance.now()'),
      at('index.ts', "import { setTimeout as sleep } from 'node:timers/promises'"),
      at('index.ts', "const { performance: p } = await import('node:perf_hooks')"),
      at('index.ts', "import { hostname, uptime } from 'node:os'"),
      at('index.ts', "import os from 'node:os'\nos.uptime()"),
      at('index.ts', 'const signal = AbortSignal.timeout(5)'),
      at('cli/main.ts', 'const make = { setTimeout }'),
    ],
    fine: [
      at('clock.ts', 'const now = Date.now()'),
      at('clock-system.ts', 'setTimeout(() => {}, 5)'),
      at('index.ts', 'interface View { readonly since: Date; setTimeout(): void }\nlet view: View\nview.setTimeout()'),
      at('index.ts', 'const performance = { now: () => 5 }\nperformance.now()'),
      at('index.ts', "// Date.now()\nconst text = 'setTimeout'"),
      at('index.ts', "import { hostname } from 'node:os'\nhostname()"),
    ],
  },
  {
    says: 'only `random` touches randomness',
    broken: inEach(
      (path) => isLibrary(path) && !isRandom(path),
      function* (tree) {
        yield* touches(tree, [], RANDOM_PROPERTIES)
        for (const { node, name } of taken(tree, 'node:crypto')) {
          if (name === '*' || RANDOM_IMPORTS.test(name)) yield finding(node, `takes ${name} from node:crypto`)
        }
      },
    ),
    planted: [
      at('index.ts', 'const x = Math.random()'),
      at('index.ts', 'const id = crypto.randomUUID()'),
      at('index.ts', 'const id = globalThis.crypto.randomUUID()'),
      at('index.ts', "import { createHash, randomBytes as bytes } from 'node:crypto'"),
      at('index.ts', "import crypto from 'node:crypto'"),
      at('index.ts', "const crypto = await import('node:crypto')"),
    ],
    fine: [
      at('random.ts', 'const x = Math.random()'),
      at('index.ts', "import { createHash } from 'node:crypto'\nconst max = Math.max(1, 2)"),
    ],
  },
  {
    says: 'the library prints nothing, and only the command line speaks to the terminal or ends the process',
    broken: inEach(isLibrary, function* (tree, path) {
      yield* touches(tree, ['console'], [])
      for (const { node, text } of properties(tree)) {
        if (isCli(path) || !/^process\.(stdout|stderr|exit|abort|exitCode)$/.test(text)) continue
        yield finding(node, `uses ${text}`)
      }
    }),
    planted: [
      at('index.ts', "console.log('here')"),
      at('index.ts', "globalThis.console.warn('here')"),
      at('cli/main.ts', "console.log('here')"),
      at('index.ts', "process.stdout.write('here')"),
      at('index.ts', 'process.exit(1)'),
    ],
    fine: [at('cli/main.ts', "process.stdout.write('here')\nprocess.exitCode = 5"), at('index.ts', '// console.log')],
  },
  {
    says: 'a call chain is known inside `run` only: nothing uses enterWith',
    broken: inEach(isLibrary, function* (tree) {
      for (const { node, text } of properties(tree))
        if (text.endsWith('.enterWith')) yield finding(node, `uses ${text}`)
    }),
    planted: [at('index.ts', 'chain.enterWith({})'), at('index.ts', 'this.#chain?.enterWith({})')],
    fine: [at('index.ts', 'chain.run({}, enter)\n// never chain.enterWith')],
  },
]
