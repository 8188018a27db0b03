/**
 * Things that fall behind when nobody looks: documents that list what code defines, generated files, the lock file,
 * reminders and tests that are switched off.
 */
import ts from 'typescript'
import { finding, inEach, isCode, nodes, type Repository, type Rule } from './repository.ts'

const ERRORS = 'packages/holdfast/src/errors.ts'
const ERROR_DOCS = 'docs/errors.md'

/** The keys of `interface ErrorByCode`, which the compiler holds against the classes. */
function errorCodes(repository: Repository): string[] {
  for (const node of nodes(repository.tree(ERRORS))) {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'ErrorByCode') continue
    return node.members.flatMap((member) => (member.name ? [member.name.getText()] : []))
  }
  return []
}

/** Headings of the form `## CODE …`, code marks around it or not. */
const documentedCodes = (text: string): string[] =>
  Array.from(text.matchAll(/^#+ +`?([A-Z][A-Z0-9_]+)\b/gm), ([, code = '']) => code)

function errorDocs(repository: Repository): string[] {
  if (!repository.paths.includes(ERRORS)) return [`${ERRORS} is missing`]
  const codes = errorCodes(repository)
  if (codes.length === 0) return [`${ERRORS} has no interface ErrorByCode with members`]
  if (!repository.paths.includes(ERROR_DOCS)) return [`${ERROR_DOCS} is missing`]
  const documented = documentedCodes(repository.text(ERROR_DOCS))
  return [
    ...codes.filter((code) => !documented.includes(code)).map((code) => `${ERROR_DOCS} has no heading for ${code}`),
    ...documented
      .filter((code) => !codes.includes(code))
      .map((code) => `${ERROR_DOCS} explains ${code}, which is no code`),
  ]
}

const isTest = (path: string): boolean => isCode(path) && /(^|\/)test\//.test(path)
const TEST_WORDS: ReadonlySet<string> = new Set(['test', 'it', 'describe', 'suite', 'bench'])
const OFF_WORDS: ReadonlySet<string> = new Set(['skip', 'skipIf', 'runIf', 'only', 'todo', 'fails'])
const OFF_NAMES: ReadonlySet<string> = new Set(['xit', 'xtest', 'xdescribe', 'fit', 'fdescribe'])

/** The first word of `a.b.c` or `a(…).b`. */
function rootOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return rootOf(node.expression)
  return ''
}

/** Names that a file imports or declares at its top: `fit` may be a function of ours. */
function ownNames(tree: ts.SourceFile): Set<string> {
  const names = new Set<string>()
  for (const node of nodes(tree)) {
    const named = ts.isImportSpecifier(node) || ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)
    if (named && node.name && ts.isIdentifier(node.name)) names.add(node.name.text)
  }
  return names
}

function switchedOff(node: ts.Node, own: ReadonlySet<string>): string | undefined {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && OFF_NAMES.has(node.expression.text)) {
    if (!own.has(node.expression.text)) return node.expression.text
  }
  if (!ts.isPropertyAccessExpression(node) || !OFF_WORDS.has(node.name.text)) return undefined
  // `context.skip()` inside a test switches it off as well.
  const outside = TEST_WORDS.has(rootOf(node.expression))
  const inside = node.name.text === 'skip' && ts.isCallExpression(node.parent) && node.parent.expression === node
  return outside || inside ? node.getText() : undefined
}

/** Written in pieces so that this file does not break its own rules. */
const REMINDERS = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X'.repeat(3), 'HA' + 'CK'].join('|')})\\b`)
const REGISTRY_HOSTS = new RegExp(
  [
    ['registry', 'npmjs', 'org'],
    ['registry', 'yarnpkg', 'com'],
  ]
    .map((host) => host.join('\\.'))
    .join('|'),
)
const MACHINE_PATHS = new RegExp(
  `(^|[\\s"'\`(=:])/(${['wo' + 'rk', 'ro' + 'ot', 'ho' + 'me', 'Us' + 'ers'].join('|')})/`,
)
const DOWNLOAD = /"resolved": "[a-z+]+:/

const perLine = (covers: (path: string) => boolean, wrong: RegExp, what: string): Rule['broken'] => {
  return (repository) =>
    repository.paths.filter(covers).flatMap((path) =>
      repository
        .text(path)
        .split('\n')
        .flatMap((line, index) => (wrong.test(line) ? [`${path}:${index + 1} ${what}`] : [])),
    )
}

const codes = (...names: string[]): Record<string, string> => ({
  [ERRORS]: `export interface ErrorByCode { ${names.map((name) => `${name}: ${name}Error`).join('; ')} }`,
})

const tested = (text: string): Record<string, string> => ({ 'packages/lab/test/demo.test.ts': text })

export const rules: readonly Rule[] = [
  {
    says: 'every error code has its heading in docs/errors.md, and no other code has one',
    broken: errorDocs,
    planted: [
      { ...codes('CLOSED', 'LEASE_LOST'), [ERROR_DOCS]: '# Errors\n\n## `CLOSED`\n\nSee also LEASE_LOST.\n' },
      { ...codes('CLOSED'), [ERROR_DOCS]: '## CLOSED\n## WAIT_TIMEOUT\n' },
      codes('CLOSED'),
      { [ERRORS]: 'export class ClosedError extends Error {}', [ERROR_DOCS]: '## CLOSED\n' },
    ],
    fine: [{ ...codes('CLOSED', 'LEASE_LOST'), [ERROR_DOCS]: '# Errors\n## `CLOSED`\n### LEASE_LOST: told once\n' }],
  },
  {
    says: 'no test is switched off',
    broken: inEach(isTest, function* (tree) {
      const own = ownNames(tree)
      for (const node of nodes(tree)) {
        const what = switchedOff(node, own)
        if (what !== undefined) yield finding(node, `${what} switches a test off`)
      }
    }),
    planted: [
      tested("test.skip('x', () => {})"),
      tested("test.concurrent.skip('x', () => {})"),
      tested("describe.only('x', () => {})"),
      tested("test.skipIf(process.version < 'v22')('x', () => {})"),
      tested("test.runIf(ready)('x', () => {})"),
      tested("it.todo('x')"),
      tested("xit('x', () => {})"),
      tested("test('x', (context) => { context.skip() })"),
      tested("test('x', ({ skip: off, task }) => { task.context.skip('why') })"),
    ],
    fine: [
      tested("import { fit } from '../src/front/fit.ts'\ntest('a hold fits', () => { fit(hold) })"),
      tested("test('a reader may skip a line', () => { list.only = 5 })\nconst text = 'test.skip'"),
    ],
  },
  {
    says: 'nothing is left for later in a comment',
    broken: perLine(
      (path) => isCode(path) || /\.(md|sql|lua|sh)$|\/run$/.test(path),
      REMINDERS,
      'leaves something for later',
    ),
    planted: [
      { 'packages/lab/src/demo.ts': `// ${'TO' + 'DO'}: count\n` },
      { 'docs/design.md': `${'FIX' + 'ME'} soon\n` },
      { 'packages/holdfast/src/backends/sqlite/schema.sql': `-- ${'X'.repeat(3)}\n` },
    ],
    fine: [{ 'docs/design.md': 'A mastodon is no reminder.\n' }],
  },
  {
    says: 'the lock file has checksums and no download addresses',
    broken: (repository) => [
      ...perLine((path) => path === 'package-lock.json', DOWNLOAD, 'names a download address')(repository),
      ...perLine((path) => path !== 'package-lock.json', REGISTRY_HOSTS, 'names a registry')(repository),
    ],
    planted: [
      { 'package-lock.json': '{\n"resolved": "https://example.test/x.tgz"\n}' },
      { 'package-lock.json': '{\n"resolved": "git+ssh://example.test/x"\n}' },
      { '.npmrc': `registry=https://${['registry', 'npmjs', 'org'].join('.')}/\n` },
    ],
    fine: [{ 'package-lock.json': '{\n"resolved": "packages/holdfast",\n"link": true\n}', '.npmrc': 'audit=false\n' }],
  },
  {
    says: 'no path of one machine is written down',
    broken: perLine((path) => path !== 'package-lock.json', MACHINE_PATHS, 'names a path of one machine'),
    planted: [
      { 'README.md': `Look at ${'/wo' + 'rk'}/main/README.md\n` },
      { 'packages/lab/src/demo.ts': `const home = '${'/ro' + 'ot'}/.state'\n` },
      { 'packages/lab/src/demo.ts': `const home = '${'/ho' + 'me'}/ann/holdfast'\n` },
    ],
    fine: [{ 'README.md': 'The framework/main part; `$HOME/holdfast`, packages/holdfast/work/x\n' }],
  },
]
