/**
 * What the tidiness rules look at: the text files of this repository, or a few made-up ones for a rule's own test.
 * Paths are relative to the root and written with slashes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export interface Repository {
  readonly paths: readonly string[]
  text(path: string): string
  /** The parsed file; parents are set. */
  tree(path: string): ts.SourceFile
}

/** A promise about the repository. Without a planted violation nobody would know whether `broken` can find one. */
export interface Rule {
  /** A sentence that is true of the repository. */
  readonly says: string
  /** One line for each place where it is not. */
  readonly broken: (repository: Repository) => readonly string[]
  /** Small repositories that break the rule, each in one place. */
  readonly planted: readonly Readonly<Record<string, string>>[]
  /** Small repositories that look like a violation and are none. */
  readonly fine: readonly Readonly<Record<string, string>>[]
}

export function made(files: Readonly<Record<string, string>>): Repository {
  const trees = new Map<string, ts.SourceFile>()
  const text = (path: string): string => {
    const found = files[path]
    if (found === undefined) throw new Error(`${path} is not in the repository`)
    return found
  }
  return {
    paths: Object.keys(files).sort(),
    text,
    tree(path) {
      const tree = trees.get(path) ?? ts.createSourceFile(path, text(path), ts.ScriptTarget.Latest, true)
      trees.set(path, tree)
      return tree
    },
  }
}

const AWAY: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage', '.git'])
const TEXT = /\.(ts|mts|cts|js|mjs|cjs|json|jsonc|md|sql|lua|sh|yml|yaml|txt)$|\/run$|^LICENSE$|^\.npmrc$/

export function onDisk(): Repository {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  const walk = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      if (AWAY.has(entry.name)) return []
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return walk(path)
      return entry.isFile() && TEXT.test(path) ? [path] : []
    })
  return made(Object.fromEntries(walk('').map((path) => [path, readFileSync(join(root, path), 'utf8')])))
}

export const isCode = (path: string): boolean => /\.(ts|mts|cts|js|mjs|cjs)$/.test(path) && !/\.d\.[cm]?ts$/.test(path)
export const isLibrary = (path: string): boolean => path.startsWith('packages/holdfast/src/') && isCode(path)
export const isProduct = (path: string): boolean => /^packages\/[^/]+\/src\//.test(path) && isCode(path)

/** A rule's check from a check of one file: `covers` chooses the files, `find` gives what is wrong in one. */
export function inEach(
  covers: (path: string) => boolean,
  find: (tree: ts.SourceFile, path: string) => Iterable<Finding>,
): Rule['broken'] {
  return (repository) =>
    repository.paths.filter(covers).flatMap((path) => {
      const tree = repository.tree(path)
      return Array.from(find(tree, path), ({ at, what }) => {
        const { line } = tree.getLineAndCharacterOfPosition(at)
        return `${path}:${line + 1} ${what}`
      })
    })
}

export interface Finding {
  readonly at: number
  readonly what: string
}

export const finding = (node: ts.Node, what: string): Finding => ({ at: node.getStart(), what })

/** Every node below `node`, itself included. */
export function* nodes(node: ts.Node): Generator<ts.Node> {
  yield node
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => {
    children.push(child)
  })
  for (const child of children) yield* nodes(child)
}

/** The comment that a file begins with, a first `#!` line left aside; empty when there is none. */
export function header(tree: ts.SourceFile): string {
  const text = tree.text.replace(/^#!.*\n/, '')
  return /^\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? ''
}

export interface Import {
  readonly node: ts.Node
  /** As it is written. */
  readonly specifier: string
  /** The file it means when it is one of ours, else null. */
  readonly path: string | null
  readonly way: 'types' | 'static' | 'dynamic'
}

/** All imports and re-exports of a file, `import()` with a literal included. */
export function* imports(tree: ts.SourceFile): Generator<Import> {
  const entry = (node: ts.Node, specifier: string, way: Import['way']): Import => ({
    node,
    specifier,
    path: specifier.startsWith('.') ? normalize(join(dirname(tree.fileName), specifier)) : null,
    way,
  })
  for (const node of nodes(tree)) {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      yield entry(node, node.moduleSpecifier.text, onlyTypes(node.importClause) ? 'types' : 'static')
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      yield entry(node, node.moduleSpecifier.text, node.isTypeOnly ? 'types' : 'static')
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) yield entry(node, node.argument.literal.text, 'types')
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [target] = node.arguments
      if (target && ts.isStringLiteralLike(target)) yield entry(node, target.text, 'dynamic')
    }
  }
}

function onlyTypes(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const bindings = clause.namedBindings
  return (
    !clause.name &&
    !!bindings &&
    ts.isNamedImports(bindings) &&
    bindings.elements.every((element) => element.isTypeOnly)
  )
}
