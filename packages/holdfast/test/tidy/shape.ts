/**
 * Rules on the shape of files and functions. A length above the limit is allowed when the file's header comment says
 * why: "Long because …" for the file, "`name` is long because …" for a function.
 */
import ts from 'typescript'
import { finding, header, inEach, isCode, isProduct, nodes, type Rule } from './repository.ts'

const FILE_LINES_MAX = 300
const FUNCTION_LINES_MAX = 70

const BANNED_WORDS = /(^|[/.-])(utils?|helpers?|common|types|managers?)([/.-]|$)/i
const KEBAB = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*)(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/

type FunctionNode = ts.FunctionLikeDeclaration & { readonly body: ts.Node }

const isFunction = (node: ts.Node): node is FunctionNode =>
  (ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isConstructorDeclaration(node) ||
    ts.isGetAccessorDeclaration(node) ||
    ts.isSetAccessorDeclaration(node)) &&
  node.body !== undefined

function nameOf(node: FunctionNode): string {
  if (ts.isConstructorDeclaration(node)) return 'constructor'
  if (node.name) return node.name.getText()
  const owner = node.parent
  if (ts.isVariableDeclaration(owner) || ts.isPropertyAssignment(owner)) return owner.name.getText()
  return 'anonymous'
}

function linesOf(tree: ts.SourceFile, node: ts.Node): number {
  const first = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line
  return tree.getLineAndCharacterOfPosition(node.getEnd()).line - first + 1
}

const lines = (count: number, each = ''): string => `${each}\n`.repeat(count)
const TOP = '/** What it is. */\n'
const long = (name: string): string => `function ${name}() {\n${lines(FUNCTION_LINES_MAX, '  work()')}}\n`
const at = (text: string): Record<string, string> => ({ 'packages/holdfast/src/line.ts': text })

export const rules: readonly Rule[] = [
  {
    says: 'a file has at most 300 lines, or its header says why',
    broken: inEach(isProduct, function* (tree) {
      const count = tree.text.replace(/\n$/, '').split('\n').length
      if (count <= FILE_LINES_MAX || /\blong because\b/i.test(header(tree))) return
      yield { at: 0, what: `has ${count} lines and no "Long because …" in its header` }
    }),
    planted: [at(TOP + lines(FILE_LINES_MAX)), at(`/** What. */\n/** Long because. */\n${lines(FILE_LINES_MAX)}`)],
    fine: [at(TOP + lines(FILE_LINES_MAX - 1)), at(`/** What. Long because it is a table. */\n${lines(400)}`)],
  },
  {
    says: 'a function has at most 70 lines, or the header of its file says why',
    broken: inEach(isProduct, function* (tree) {
      for (const node of nodes(tree)) {
        if (!isFunction(node) || linesOf(tree, node) <= FUNCTION_LINES_MAX) continue
        const name = nameOf(node)
        const excuse = header(tree).replace(/\s*\n\s*\*\s*/g, ' ')
        if (excuse.toLowerCase().includes(`\`${name}\` is long because`.toLowerCase())) continue
        yield finding(
          node,
          `${name} has ${linesOf(tree, node)} lines; the header has no "\`${name}\` is long because …"`,
        )
      }
    }),
    planted: [
      at(TOP + long('take')),
      at(`/** What. \`give\` is long because. */\n${long('take')}`),
      at(`${TOP}class Front {\n  take = () => {\n${lines(FUNCTION_LINES_MAX)}}\n}`),
      at(`${TOP}class Front {\n  get open() {\n${lines(FUNCTION_LINES_MAX)}}\n}`),
    ],
    fine: [
      at(`/**\n * What. \`take\` is long\n * because it is a table of cases.\n */\n${long('take')}`),
      at(`${TOP}class Front {\n${lines(100, '  take() {}')}}\n`),
      at(`${TOP}const text = \`function () {${lines(100)}}\``),
    ],
  },
  {
    says: 'a file begins with a comment that says what it is',
    broken: inEach(isCode, function* (tree) {
      if (header(tree).replace(/[\s*/]/g, '') === '') yield { at: 0, what: 'has no header comment' }
    }),
    planted: [
      at("import { x } from './x.ts'\n/** Too late. */"),
      at('// Not a block.\n'),
      at('/** */\nconst x = 1'),
      { 'scripts/build.mjs': '#!/usr/bin/env node\nrun()' },
    ],
    fine: [at(TOP), { 'packages/holdfast/src/cli/main.ts': `#!/usr/bin/env node\n${TOP}run()` }],
  },
  {
    says: 'code files are named by kebab-case nouns, none of them a catch-all',
    broken: (repository) =>
      repository.paths.filter(isCode).flatMap((path) => {
        const catchAll = path.split('/').some((part) => BANNED_WORDS.test(part))
        if (catchAll) return [`${path} is named after no concept`]
        return path.split('/').every((part) => KEBAB.test(part)) ? [] : [`${path} is not in kebab case`]
      }),
    planted: [
      { 'packages/holdfast/src/utils.ts': TOP },
      { 'packages/holdfast/src/sql-helpers.ts': TOP },
      { 'packages/holdfast/src/common/line.ts': TOP },
      { 'packages/holdfast/test/lock-manager.test.ts': TOP },
      { 'packages/lab/src/types.ts': TOP },
      { 'packages/lab/src/flashSale.ts': TOP },
      { 'packages/lab/src/flash_sale.ts': TOP },
    ],
    fine: [
      { 'packages/holdfast/src/prototypes.ts': TOP, 'packages/lab/src/flash-sale.ts': TOP, 'vitest.config.ts': TOP },
    ],
  },
]
