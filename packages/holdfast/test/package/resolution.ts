/**
 * Type-checks a small project that uses the packed library, once for each way in which a compiler finds packages. The
 * library's own declarations are checked too, with nothing in reach but Node's types and the es2022 library.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import type { Packed } from './packed.ts'

export interface Way {
  readonly name: string
  readonly options: ts.CompilerOptions
  /** `.mts` and `.cts` say which format the importing file has. */
  readonly extension: 'ts' | 'mts' | 'cts'
}

const { ModuleKind, ModuleResolutionKind, ScriptTarget } = ts

export const ways: readonly Way[] = [
  {
    name: 'node10',
    options: { module: ModuleKind.CommonJS, moduleResolution: ModuleResolutionKind.Node10, ignoreDeprecations: '6.0' },
    extension: 'ts',
  },
  { name: 'node16, from ESM', options: { module: ModuleKind.Node16 }, extension: 'mts' },
  { name: 'node16, from CommonJS', options: { module: ModuleKind.Node16 }, extension: 'cts' },
  { name: 'nodenext, from ESM', options: { module: ModuleKind.NodeNext }, extension: 'mts' },
  { name: 'nodenext, from CommonJS', options: { module: ModuleKind.NodeNext }, extension: 'cts' },
  {
    name: 'bundler',
    options: { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler },
    extension: 'ts',
  },
]

/** What the compiler says against `text` in the project, one line each. `alone`: do not check the declarations it uses. */
export function complaints(packed: Packed, way: Way, text: string, alone = false): readonly string[] {
  const folder = join(packed.project, `types-${way.name.replace(/\W+/g, '-')}`)
  const file = join(folder, `main.${way.extension}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, text)
  const options: ts.CompilerOptions = {
    ...way.options,
    target: ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: alone,
    skipDefaultLibCheck: true,
    noEmit: true,
  }
  const program = ts.createProgram([file], options, hostIn(folder, options))
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ code, file: at, messageText }) =>
        `${at?.fileName ?? ''} TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    )
}

/** The compiler's own library is the same for every project; parsing it once makes twelve programs bearable. */
const parsed = new Map<string, ts.SourceFile | undefined>()

function hostIn(folder: string, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const own = host.getDefaultLibLocation?.() ?? ''
  return {
    ...host,
    getCurrentDirectory: () => folder,
    getSourceFile(name, version, ...rest) {
      if (own === '' || !name.startsWith(own)) return host.getSourceFile(name, version, ...rest)
      if (!parsed.has(name)) parsed.set(name, host.getSourceFile(name, version, ...rest))
      return parsed.get(name)
    },
  }
}
