/**
 * The published package, looked at from outside: packed, unpacked in another project and used there from ESM,
 * CommonJS, Jest and every way of finding types. Each check is also tried on a package that was spoiled for it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { printsOf, runExample } from './docs/example.ts'
import { deadLinks } from './docs/reference.ts'
import { link, type Packed, pack, root, run, spoiled, write } from './package/packed.ts'
import { complaints, ways } from './package/resolution.ts'
import { sizeOf } from './package/size.ts'

let packed: Packed

beforeAll(() => {
  packed = pack()
  link(packed, '@types/node', 'undici-types')
})

afterAll(() => packed?.remove())

/** `holdfast`, `holdfast/memory`, … */
const entries = (): string[] =>
  Object.entries(packed.manifest.exports).flatMap(([name, target]) =>
    typeof target === 'string' ? [] : [name.replace('.', 'holdfast')],
  )

/** Every file that package.json names, as paths without `./`. */
function named(): Set<string> {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value === 'string') found.add(value.replace(/^\.\//, ''))
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit)
  }
  const { main, module, types, bin, exports, typesVersions } = packed.manifest
  visit({ main, module, types, bin, exports, typesVersions })
  return found
}

describe('what is packed', () => {
  test('nothing comes with it: no dependency, only optional peers, nothing runs at installation', () => {
    const { manifest } = packed
    for (const field of ['dependencies', 'optionalDependencies', 'bundleDependencies', 'bundledDependencies']) {
      expect(manifest).not.toHaveProperty(field)
    }
    const optional = manifest.peerDependenciesMeta as Record<string, { optional: boolean }>
    for (const peer of Object.keys(manifest.peerDependencies as object))
      expect(optional[peer]).toEqual({ optional: true })
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
      expect(manifest.scripts).not.toHaveProperty(script)
    }
    expect(manifest).toMatchObject({
      name: 'holdfast',
      license: 'MIT',
      sideEffects: false,
      engines: { node: '>=20.19' },
    })
  })

  test('licence, documents and examples are inside, sources and tests are not', () => {
    expect(packed.files).toContain('docs/guarantees.md')
    expect(packed.files).toContain('examples/job.mjs')
    expect(packed.files.filter((path) => !/^(dist|docs|examples)\//.test(path))).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'package.json',
    ])
  })

  test('every link of the README and the documents leads to something inside', () => {
    const documents = packed.files.filter((path) => path.endsWith('.md'))
    const read = (path: string): string => readFileSync(join(packed.installed, path), 'utf8')
    const at = (path: string): string | null | undefined => {
      if (documents.includes(path)) return read(path)
      return packed.files.some((file) => file === path || file.startsWith(`${path}/`)) ? null : undefined
    }
    expect(documents.flatMap((path) => deadLinks(path, read(path), { at }))).toEqual([])
    expect(deadLinks('README.md', read('README.md'), { at: () => undefined })).not.toEqual([])
  })

  test('every file that package.json names is there', () => {
    expect([...named()].filter((path) => !packed.files.includes(path))).toEqual([])
  })

  test('every built file is an entry, the worker, or a piece that another file uses', () => {
    const built = packed.files.filter((path) => path.startsWith('dist/'))
    const pieces = built.filter((path) => path.startsWith('dist/chunk-'))
    const others = built.filter((path) => !pieces.includes(path))
    const entryFiles = [...named()].filter((path) => path.startsWith('dist/'))
    expect(others).toEqual([...new Set([...entryFiles, 'dist/worker.mjs'])].sort())
    const text = new Map(built.map((path) => [path, readFileSync(join(packed.installed, path), 'utf8')]))
    const unused = pieces.filter((piece) => {
      const written = `./${piece.slice('dist/'.length).replace(/\.d\.([cm])ts$/, '.$1js')}`
      return !built.some((path) => path !== piece && text.get(path)?.includes(`"${written}"`))
    })
    expect(unused).toEqual([])
  })
})

describe('what the checkers of packages say', () => {
  const linted = async (tarball: string): Promise<string[]> => {
    const { messages } = await publint({ pack: { tarball: bytes(tarball) }, level: 'suggestion', strict: true })
    return messages.map(({ code, path }) => `${code} ${path.join('.')}`)
  }
  const mistyped = async (tarball: string): Promise<string[]> => {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes(tarball))))
    if (!('problems' in result)) return ['has no types']
    return result.problems.map((problem) => JSON.stringify(problem))
  }

  test('publint has nothing to say', async () => {
    expect(await linted(packed.tarball)).toEqual([])
  })

  test('publint would notice an entry that is missing', async () => {
    const broken = spoiled(packed, 'missing', (folder) => rmSync(join(folder, 'dist/memory.cjs')))
    expect(await linted(broken)).not.toEqual([])
  })

  test('the types are not wrong', async () => {
    expect(await mistyped(packed.tarball)).toEqual([])
  })

  test('wrong types would be noticed', async () => {
    const broken = spoiled(packed, 'mistyped', (folder) => {
      const path = join(folder, 'package.json')
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('.d.cts', '.d.mts'))
    })
    expect(await mistyped(broken)).not.toEqual([])
  })
})

describe('what an entry costs, minified and gzipped, without what it loads on demand', () => {
  const ceilings = [
    {
      entry: 'index',
      bytesMax: 16 * 1024,
      reason: 'a lock must not be a heavy part of a function that is started often',
    },
    { entry: 'memory', bytesMax: 8 * 1024, reason: 'a reference for reading, and used in tests where nobody waits' },
    {
      entry: 'sqlite',
      bytesMax: 16 * 1024,
      reason: 'statements and messages are text; the driver is not ours and stays outside',
    },
    { entry: 'redis', bytesMax: 24 * 1024, reason: 'a third is Lua; the client is not ours and stays outside' },
    {
      entry: 'quorum',
      bytesMax: 10 * 1024,
      reason: 'the rules of the majority alone; its nodes are entries of their own',
    },
    { entry: 'guard', bytesMax: 4 * 1024, reason: 'goes where the guarded resource is, often without the rest' },
    { entry: 'verify', bytesMax: 8 * 1024, reason: 'is for tests, and needs nothing of the library' },
  ]

  test('every entry has its ceiling', () => {
    const names = entries().map((entry) => (entry === 'holdfast' ? 'index' : entry.slice('holdfast/'.length)))
    expect(ceilings.map(({ entry }) => entry)).toEqual(names)
  })

  test.each(ceilings)('$entry: at most $bytesMax bytes ($reason)', async ({ entry, bytesMax }) => {
    const { bytes: size } = await sizeOf(join(packed.installed, `dist/${entry}.mjs`))
    process.stdout.write(`${entry}: ${size} of ${bytesMax} bytes\n`)
    expect(size).toBeLessThanOrEqual(bytesMax)
  })

  test('the root loads the SQLite backend on demand', async () => {
    const { later } = await sizeOf(join(packed.installed, 'dist/index.mjs'))
    expect(later).toContain('./sqlite.mjs')
  })

  test('a bundle keeps what is imported outright and leaves out the rest', async () => {
    write(packed, {
      'size/main.mjs': "import { big } from './big.mjs'\nconsole.log(big, () => import('./later.mjs'))",
      'size/big.mjs': `export const big = ${JSON.stringify(noise(4000))}`,
      'size/later.mjs': `export const later = ${JSON.stringify(noise(9000))}`,
    })
    const { bytes: size, later } = await sizeOf(join(packed.project, 'size/main.mjs'))
    expect(later).toEqual(['./later.mjs'])
    expect(size).toBeGreaterThan(2000)
    expect(size).toBeLessThan(5000)
  })
})

describe('how it is loaded', () => {
  const USE = `
    const locks = holdfast(memory(), { namespace: 'package-test' })
    const lease = await locks.mutex('door').acquire()
    const busy = await locks.mutex('door').tryAcquire()
    const released = await lease.release()
    await locks.close()
    console.log(JSON.stringify({ fence: typeof lease.fence, busy, released }))`
  const USED = { fence: 'bigint', busy: null, released: true }

  /** Entry → sorted names of its exports, as a child process sees them. */
  const exportsBy = (format: 'import' | 'require'): Record<string, string[]> => {
    const load = format === 'import' ? 'await import(name)' : 'require(name)'
    const text = `(async () => {
      const found = {}
      for (const name of ${JSON.stringify(entries())}) found[name] = Object.keys(${load}).sort()
      console.log(JSON.stringify(found))
    })()`
    write(packed, { [`exports.${format === 'import' ? 'mjs' : 'cjs'}`]: text })
    const output = run(process.execPath, [`exports.${format === 'import' ? 'mjs' : 'cjs'}`], packed.project)
    return JSON.parse(output)
  }

  test('import() and require() of every entry give the same names, those of the API report', () => {
    const imported = exportsBy('import')
    expect(exportsBy('require')).toEqual(imported)
    for (const entry of entries()) {
      const report = entry === 'holdfast' ? 'index' : entry.slice('holdfast/'.length)
      expect(reported(report), entry).toEqual(expect.arrayContaining(imported[entry] ?? []))
      expect(imported[entry], entry).not.toEqual([])
    }
  })

  test('an ESM program takes and releases a lock', () => {
    const text = `import { holdfast } from 'holdfast'\nimport { memory } from 'holdfast/memory'\n${USE}`
    write(packed, { 'use.mjs': text })
    expect(JSON.parse(run(process.execPath, ['use.mjs'], packed.project))).toEqual(USED)
  })

  test('a CommonJS program takes and releases a lock', () => {
    const text = `const { holdfast } = require('holdfast')\nconst { memory } = require('holdfast/memory');\n(async () => {${USE}})()`
    write(packed, { 'use.cjs': text })
    expect(JSON.parse(run(process.execPath, ['use.cjs'], packed.project))).toEqual(USED)
  })

  test('package.json can be read, and nothing else inside', () => {
    const text = `
      console.log(require('holdfast/package.json').name)
      try { require('holdfast/dist/index.cjs') } catch (error) { console.log(error.code) }`
    write(packed, { 'inside.cjs': text })
    expect(run(process.execPath, ['inside.cjs'], packed.project).trim().split('\n')).toEqual([
      'holdfast',
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    ])
  })

  test('the command line answers', () => {
    const program = join(packed.installed, packed.manifest.bin.holdfast ?? '')
    expect(readFileSync(program, 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node')
    expect(run(process.execPath, [program, '--help'], packed.project)).toContain('holdfast run')
  })

  test('a CommonJS project tested by Jest through ts-jest takes locks in memory and in a SQLite file', () => {
    link(packed, 'jest', 'ts-jest', 'typescript', '@jest/globals', 'libsql')
    write(packed, {
      'jest/package.json': '{ "name": "consumer", "private": true }',
      'jest/jest.config.js': `module.exports = { testEnvironment: 'node', transform: { '\\\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.json' }] } }`,
      'jest/tsconfig.json': JSON.stringify({
        compilerOptions: { target: 'es2022', module: 'node16', strict: true, types: ['node'], esModuleInterop: true },
      }),
      'jest/locks.test.ts': JEST,
    })
    const output = jest(packed)
    expect(output).toMatchObject({ success: true, numPassedTests: 2, numTotalTests: 2 })
  })
})

describe('where its types are found', () => {
  const SURFACE = `
    import { type Duration, type Holdfast, HoldfastError, holdfast, isHoldfastError, type Lease } from 'holdfast'
    import { memory } from 'holdfast/memory'
    import { sqlite } from 'holdfast/sqlite'
    import { memoryGuard, redisGuard } from 'holdfast/guard'
    const wait: Duration = '5s'
    const locks: Holdfast = holdfast(memory(), { namespace: 'types' })
    export async function use(): Promise<bigint> {
      const lease: Lease = await locks.mutex('door').acquire({ wait })
      const value: number = await locks.mutex('door').run(() => 5)
      try { await lease.release() } catch (error) { if (isHoldfastError(error, 'WAIT_TIMEOUT')) error.holder?.pid }
      return lease.fence + BigInt(value)
    }
    export const rest: readonly unknown[] = [sqlite('file.db'), memoryGuard(), redisGuard, HoldfastError]`

  test.each(ways)('$name', (way) => {
    expect(complaints(packed, way, SURFACE)).toEqual([])
  })

  test('the TypeScript of the documents compiles under strict, and does what it says', async () => {
    const text = readFileSync(join(root, 'examples/typed.ts'), 'utf8')
    const alone = text.replace(/^import '\.\/setting\/.*$/m, '')
    const way = ways.find(({ name }) => name === 'nodenext, from ESM')
    expect(way && complaints(packed, way, alone)).toEqual([])
    expect(way && complaints(packed, way, alone.replace('wait: patience', 'wait: 5'))).not.toEqual([])
    link(packed, 'libsql')
    const program = ts.transpileModule(alone, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    })
    write(packed, { 'typed/typed.mjs': `process.chdir(import.meta.dirname)\n${program.outputText}` })
    const { lines, errors } = await runExample(join(packed.project, 'typed/typed.mjs'))
    expect(lines, errors).toEqual(printsOf(text))
  })

  test.each(ways)('$name would complain about a wrong use and an entry that does not exist', (way) => {
    const wrong = `
      import { holdfast } from 'holdfast'
      import { memory } from 'holdfast/memory'
      import { nothing } from 'holdfast/nothing'
      export const locks = holdfast(memory(), { namespace: 'types', ttl: 5 })
      export { nothing }`
    const codes = complaints(packed, way, wrong, true).map((line) => /TS\d+/.exec(line)?.[0])
    expect(codes).toEqual(['TS2307', 'TS2322'])
  })
})

const JEST = `
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { holdfast, type Lease } from 'holdfast'
import { memory } from 'holdfast/memory'

test('a mutex in memory', async () => {
  const locks = holdfast(memory(), { namespace: 'jest' })
  const lease: Lease = await locks.mutex('door').acquire()
  expect(await locks.mutex('door').tryAcquire()).toBeNull()
  expect(await lease.release()).toBe(true)
  await locks.close()
})

test('a mutex in a SQLite file, its backend loaded on demand', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-jest-'))
  const locks = holdfast('sqlite:' + join(folder, 'locks.db'), { namespace: 'jest' })
  expect(await locks.mutex('door').run((lease) => typeof lease.fence)).toBe('bigint')
  await locks.close()
  rmSync(folder, { recursive: true })
})
`

interface JestReport {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numTotalTests: number
}

/** Jest as a project would run it; what it printed is in the error when it left no report. */
function jest({ project }: Packed): JestReport {
  const program = join(root, 'node_modules/jest/bin/jest.js')
  const report = join(project, 'jest/report.json')
  const args = [program, '--ci', '--runInBand', '--json', `--outputFile=${report}`]
  try {
    run(process.execPath, args, join(project, 'jest'))
  } catch (error) {
    process.stdout.write(`${String((error as { stderr?: unknown }).stderr)}\n`)
  }
  return JSON.parse(readFileSync(report, 'utf8'))
}

/** The names that a committed API report exports, types included. */
function reported(name: string): string[] {
  const text = readFileSync(join(root, `packages/holdfast/api/${name}.d.ts`), 'utf8')
  const [, list = ''] = /^export \{([^}]*)\};?$/m.exec(text) ?? []
  return list.split(',').map((part) => part.replace(/^\s*type /, '').trim())
}

function bytes(path: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = readFileSync(path)
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}

/** Text that gzip cannot make small, the same each time. */
function noise(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647
    return String.fromCharCode(33 + (state % 90))
  }).join('')
}
