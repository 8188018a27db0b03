/**
 * Everything a user can pass to the library, read off the types of the public entries: parameters of functions and
 * methods, and the options inside them. Nothing is listed by hand, so nothing new can be forgotten.
 */
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export interface Input {
  /** `holdfast(options).front.passes`, `Lease.assertHeld(atLeast)`. */
  readonly key: string
  /** The parameter it is part of: `holdfast(options)`. */
  readonly parameter: string
  /** Where in the parameter: `['front', 'passes']`; empty: the parameter itself. */
  readonly path: readonly string[]
  /** Such a call answers by a promise, or by what is walked with `for await`. */
  readonly later: boolean
}

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))
const ENTRIES = ['index.ts', 'backends/memory/index.ts', 'backends/sqlite/index.ts', 'guards/index.ts']
const SETTINGS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
}

export function inputsOf(): readonly Input[] {
  const program = ts.createProgram(
    ENTRIES.map((entry) => SOURCE + entry),
    SETTINGS,
  )
  const reader = new Reader(program.getTypeChecker())
  for (const entry of ENTRIES) {
    const file = program.getSourceFile(SOURCE + entry)
    if (file === undefined) throw new Error(`${entry} is missing`)
    reader.entry(file)
  }
  return reader.inputs
}

class Reader {
  readonly inputs: Input[] = []
  readonly #checker: ts.TypeChecker
  readonly #seen = new Set<string>()

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker
  }

  entry(file: ts.SourceFile): void {
    const module = this.#checker.getSymbolAtLocation(file)
    for (const exported of module === undefined ? [] : this.#checker.getExportsOfModule(module)) {
      const symbol = (exported.flags & ts.SymbolFlags.Alias) === 0 ? exported : this.#checker.getAliasedSymbol(exported)
      if ((symbol.flags & ts.SymbolFlags.Function) === 0) continue
      for (const signature of this.#checker.getTypeOfSymbol(symbol).getCallSignatures()) {
        this.#signature(symbol.name, signature)
      }
    }
  }

  #signature(name: string, signature: ts.Signature): void {
    const given = signature.getReturnType()
    const later = /^(Promise|AsyncIterable)</.test(this.#checker.typeToString(given))
    for (const parameter of signature.getParameters()) {
      const type = this.#plain(this.#checker.getTypeOfSymbol(parameter))
      const text = `${name}(${parameter.name})`
      this.#input({ key: text, parameter: text, path: [], later }, type)
    }
    this.#given(given)
  }

  /** The input itself, and what is inside it if it is a bag of options. */
  #input(input: Input, type: ts.Type): void {
    if (this.inputs.some(({ key }) => key === input.key)) return
    this.inputs.push(input)
    const bag = this.#bag(type)
    for (const option of bag?.getProperties() ?? []) {
      const inner = this.#plain(this.#checker.getTypeOfSymbol(option))
      this.#input({ ...input, key: `${input.key}.${option.name}`, path: [...input.path, option.name] }, inner)
    }
  }

  /** What a call gives is walked as well: its methods take something too. */
  #given(type: ts.Type): void {
    const plain = this.#plain(type)
    if (plain.isUnion()) {
      for (const one of plain.types) this.#given(one)
      return
    }
    for (const inner of this.#inner(plain)) this.#given(inner)
    // A mapped tuple counts as ours, but what can be called on it is not.
    if (this.#checker.isArrayLikeType(this.#checker.getApparentType(plain))) return
    const label = this.#checker.typeToString(plain)
    if (this.#seen.has(label) || !this.#ours(plain)) return
    this.#seen.add(label)
    for (const member of plain.getProperties()) {
      if (member.name.startsWith('__@')) continue
      const memberType = this.#checker.getTypeOfSymbol(member)
      const calls = this.#plain(memberType).getCallSignatures()
      for (const call of calls) this.#signature(`${nameOf(label)}.${member.name}`, call)
      if (calls.length === 0) this.#given(memberType)
    }
  }

  #inner(type: ts.Type): readonly ts.Type[] {
    const reference = type as ts.TypeReference
    const isGeneric = (type.flags & ts.TypeFlags.Object) !== 0 && 'target' in reference
    return isGeneric && !this.#ours(type) ? this.#checker.getTypeArguments(reference) : []
  }

  /** Without undefined and null, and a type parameter as what it must at least be. */
  #plain(type: ts.Type): ts.Type {
    const without = this.#checker.getNonNullableType(type)
    return without.isTypeParameter() ? (this.#checker.getBaseConstraintOfType(without) ?? without) : without
  }

  #ours(type: ts.Type): boolean {
    const declared = type.getSymbol()?.declarations ?? []
    return (
      declared.some((one) => one.getSourceFile().fileName.startsWith(SOURCE)) &&
      (type.flags & ts.TypeFlags.Object) !== 0
    )
  }

  /** A type that is only options, one level of it: no methods, nothing that could be a text or a thing of its own. */
  #bag(type: ts.Type): ts.Type | null {
    const parts = type.isUnion()
      ? type.types.filter(({ flags }) => (flags & ts.TypeFlags.BooleanLiteral) === 0)
      : [type]
    const [only, ...more] = parts
    if (only === undefined || more.length > 0) return null
    if (this.#checker.isArrayLikeType(only) || only.getCallSignatures().length > 0) return null
    if ((only.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return null
    const properties = only.getProperties()
    const options = properties.every(({ flags }) => (flags & ts.SymbolFlags.Method) === 0)
    const mine = properties.every((one) =>
      (one.declarations ?? []).every((at) => at.getSourceFile().fileName.startsWith(SOURCE)),
    )
    return options && mine && properties.length > 0 ? only : null
  }
}

/** `Lockable<Lease, TakeOptions>` is long; what differs between lockable things is the lease. */
function nameOf(label: string): string {
  if (label.startsWith('{')) return label.includes('read()') ? 'RwLock' : 'Stripes'
  if (label.startsWith('MultiLease<')) return 'MultiLease'
  return /^Lockable<(\w+)/.exec(label)?.[1]?.replace(/Lease$/, 'Lockable') ?? label
}
