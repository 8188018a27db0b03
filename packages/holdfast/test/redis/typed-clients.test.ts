/** The clients of both libraries, in both versions, are taken by the compiler as they are: strict, and without a cast. */
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const FILE = fileURLToPath(new URL('./types-program.mts', import.meta.url))

const PROGRAM = `
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { createClient, createCluster, createSentinel } from 'redis'
import { createClient as client5, createCluster as cluster5, createSentinel as sentinel5 } from 'redis5'
import { redis } from '../../src/backends/redis/index.ts'

const sentinel = { name: 'p', sentinelRootNodes: [{ host: 'h', port: 1 }] }
redis(new Redis())
redis(new Redis({ sentinels: [{ host: 'h', port: 1 }], name: 'p' }), { replicas: 1 })
redis(new Cluster(['redis://h']))
redis(new Redis5())
redis(new Cluster5(['redis://h']))
redis(createClient())
redis(createClient({ RESP: 2, url: 'redis://h' }))
redis(createCluster({ rootNodes: [] }))
redis(createSentinel(sentinel))
redis(client5())
redis(client5({ RESP: 3 }))
redis(cluster5({ rootNodes: [] }))
redis(sentinel5(sentinel))
redis('redis://h')
redis({ url: 'rediss://h', tls: { ca: 'x' } })
redis({ sentinels: [{ host: 'h' }], name: 'p' })
redis({ cluster: [{ host: 'h', port: 1 }] })
redis({ connect: '/x.mjs' })
${['new Map()', '{}', '5', 'undefined', '{ host: 1 }', '{ connect: 5 }', "'redis://h', { replicas: '1' }"]
  .map((wrong) => `// @${'ts'}-expect-error it is no client\nredis(${wrong})`)
  .join('\n')}
`
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: false,
  skipDefaultLibCheck: true,
}

/** Each complaint about the program itself, as the line it is about. */
function complaints(text: string): readonly string[] {
  const host = ts.createCompilerHost(OPTIONS)
  const read = host.readFile.bind(host)
  const source = host.getSourceFile.bind(host)
  host.fileExists = (path) => path === FILE || ts.sys.fileExists(path)
  host.readFile = (path) => (path === FILE ? text : read(path))
  host.getSourceFile = (path, target) =>
    path === FILE ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022) : source(path, target)
  return ts.getPreEmitDiagnostics(ts.createProgram([FILE], OPTIONS, host)).map(({ file, start = 0, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start).line ?? 0
    const where = file?.fileName === FILE ? text.split('\n')[line] : file?.fileName
    return `${where}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}

test('every client is taken, what is none is not, and the libraries’ own types pass', { timeout: 120_000 }, () => {
  expect(complaints(PROGRAM)).toEqual([])
})
