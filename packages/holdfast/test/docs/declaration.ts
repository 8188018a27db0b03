/** What sources declare and documents list: the members of interfaces and the texts of unions. */
import ts from 'typescript'

/** Names of an interface's members, those of what it extends first. */
export function membersOf(source: string, name: string): readonly string[] {
  for (const node of statements(source)) {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== name) continue
    const parents = (node.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => type.expression.getText()))
    const own = node.members.flatMap((member) => (member.name === undefined ? [] : [plain(member.name.getText())]))
    return [...parents.flatMap((parent) => membersOf(source, parent)), ...own]
  }
  throw new Error(`there is no interface ${name}`)
}

/** The type of each member of an interface, as it is written. */
export function memberTypes(source: string, name: string): ReadonlyMap<string, string> {
  for (const node of statements(source)) {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== name) continue
    return new Map(
      node.members.flatMap((member) =>
        ts.isPropertySignature(member) && member.type !== undefined
          ? [[plain(member.name.getText()), member.type.getText()] as const]
          : [],
      ),
    )
  }
  throw new Error(`there is no interface ${name}`)
}

/** The texts of a union of string literals. */
export function textsOf(source: string, name: string): readonly string[] {
  for (const node of statements(source)) {
    if (ts.isTypeAliasDeclaration(node) && node.name.text === name) return literals(node.type)
  }
  throw new Error(`there is no type ${name}`)
}

function literals(type: ts.TypeNode): readonly string[] {
  if (ts.isUnionTypeNode(type)) return type.types.flatMap(literals)
  return ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? [type.literal.text] : []
}

function statements(source: string): readonly ts.Statement[] {
  return ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true).statements.slice()
}

function plain(name: string): string {
  return name.replace(/^['"]|['"]$/g, '')
}

/** The rows of the table that follows the heading, as the codes (`…`) of each cell. */
export function rowsAfter(document: string, heading: string): readonly (readonly (readonly string[])[])[] {
  const [, rest] = document.split(`\n${heading}\n`)
  const table = /^\|.*(?:\n\|.*)+/m.exec(rest ?? '')?.[0]
  if (table === undefined) throw new Error(`there is no table after ${heading}`)
  return table
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code)),
    )
}
