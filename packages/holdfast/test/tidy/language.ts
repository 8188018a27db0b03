/**
 * The parts of TypeScript that are not used here, so that every file can run with its types merely erased and every
 * name can be found by its own spelling.
 */
import ts from 'typescript'
import { type Finding, finding, inEach, isCode, nodes, type Rule } from './repository.ts'

const MODIFIERS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.PublicKeyword,
  ts.SyntaxKind.PrivateKeyword,
  ts.SyntaxKind.ProtectedKeyword,
  ts.SyntaxKind.ReadonlyKeyword,
  ts.SyntaxKind.OverrideKeyword,
])

/** Tools that read their settings from a default export. */
const isSettings = (path: string): boolean => /\.config\.[cm]?[jt]s$/.test(path)
const isTypeScript = (path: string): boolean => isCode(path) && /\.[cm]?ts$/.test(path)

const has = (node: ts.Node, kind: ts.SyntaxKind): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some((modifier) => modifier.kind === kind)

function* defaults(tree: ts.SourceFile): Generator<Finding> {
  for (const node of tree.statements) {
    if (ts.isExportAssignment(node) || has(node, ts.SyntaxKind.DefaultKeyword))
      yield finding(node, 'is a default export')
    if (!ts.isExportDeclaration(node) || !node.exportClause || !ts.isNamedExports(node.exportClause)) continue
    for (const element of node.exportClause.elements) {
      if (element.name.text === 'default') yield finding(element, 'is a default export')
    }
  }
}

/** Comments, as the scanner sees them: a string that looks like one is none. */
function* comments(tree: ts.SourceFile): Generator<{ readonly at: number; readonly text: string }> {
  const seen = new Set<number>()
  for (const node of nodes(tree)) {
    for (const range of ts.getLeadingCommentRanges(tree.text, node.getFullStart()) ?? []) {
      if (seen.has(range.pos)) continue
      seen.add(range.pos)
      yield { at: range.pos, text: tree.text.slice(range.pos, range.end) }
    }
  }
}

const rule = (
  says: string,
  find: (node: ts.Node) => string | undefined,
  planted: readonly string[],
  fine: readonly string[],
): Rule => ({
  says,
  broken: inEach(isTypeScript, function* (tree) {
    for (const node of nodes(tree)) {
      const what = find(node)
      if (what !== undefined) yield finding(node, what)
    }
  }),
  planted: planted.map(at),
  fine: fine.map(at),
})

const at = (text: string): Record<string, string> => ({ 'packages/lab/src/demo.ts': text })

export const rules: readonly Rule[] = [
  rule(
    'nothing is typed any',
    (node) => (node.kind === ts.SyntaxKind.AnyKeyword ? 'says any' : undefined),
    ['let x: any', 'const y = x as any', 'function f(...all: any[]) {}', 'type Bag = Record<string, any>'],
    ['const any = 5 // any', "const text = 'as any'"],
  ),
  rule(
    'there is no enum',
    (node) => (ts.isEnumDeclaration(node) ? 'is an enum' : undefined),
    ['enum Mode { read, write }', 'export const enum Mode { read }'],
    ["const enumerable = { enum: 'x' }"],
  ),
  rule(
    'there is no namespace',
    (node) => (ts.isModuleDeclaration(node) ? 'is a namespace or ambient module' : undefined),
    ['namespace Locks { export const x = 1 }', "declare module 'x' {}", 'declare global {}'],
    ["const namespace = 'shop'"],
  ),
  rule(
    'there is no parameter property',
    (node) =>
      ts.isParameter(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => MODIFIERS.has(kind))
        ? 'is a parameter property'
        : undefined,
    ['class Lease { constructor(readonly name: string) {} }', 'class Lease { constructor(private x: number) {} }'],
    ['class Lease { readonly name: string; constructor(name: string) { this.name = name } }'],
  ),
  {
    says: 'exports have names',
    broken: inEach((path) => isCode(path) && !isSettings(path), defaults),
    planted: ['export default 5', 'export default class {}', 'const x = 5\nexport { x as default }'].map(at),
    fine: [at('export const x = 5'), { 'vitest.config.ts': 'export default {}' }],
  },
  rule(
    'private members are #private',
    (node) => (has(node, ts.SyntaxKind.PrivateKeyword) ? 'is private to the compiler only' : undefined),
    ['class Lease { private name = 5 }', 'class Lease { private take() {} }'],
    ['class Lease { #name = 5; take() { return this.#name } }'],
  ),
  {
    says: 'the compiler is told to look away nowhere, and to expect an error in tests only',
    broken: inEach(isTypeScript, function* (tree, path) {
      for (const { at: position, text } of comments(tree)) {
        if (/@ts-(ignore|nocheck)/.test(text)) yield { at: position, what: 'switches the compiler off' }
        if (/@ts-expect-error/.test(text) && !path.includes('/test/')) yield { at: position, what: 'hides an error' }
      }
    }),
    planted: [
      `// @${'ts'}-ignore\nx()`,
      `/* @${'ts'}-nocheck */`,
      `// @${'ts'}-expect-error wrong on purpose\nx()`,
    ].map(at),
    fine: [
      at(`const text = '// @${'ts'}-ignore'`),
      { 'packages/holdfast/test/duration.test.ts': `// @${'ts'}-expect-error a bare number has no unit\ntake(5)` },
    ],
  },
]
