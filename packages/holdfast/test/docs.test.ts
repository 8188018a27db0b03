/**
 * Holds the documents to the code: blocks are cut from examples that run, links lead somewhere, tests that are named
 * exist, and what is listed is all there is. Each check is also tried on something that breaks it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { membersOf, memberTypes, rowsAfter, textsOf } from './docs/declaration.ts'
import { deadLinks, missingTests, namedTests } from './docs/reference.ts'
import { blocksOf, snippetsOf, strayBlocks, strayCalls } from './docs/snippet.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
const examples = filesIn('examples').filter((path) => /^examples\/((redis|setting)\/)?[\w.-]+\.(mjs|ts)$/.test(path))
const documents = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...filesIn('docs')]
const example = (path: string): string | null => (examples.includes(path) ? read(path) : null)

test('the documents of this repository are looked at', () => {
  expect(documents).toContain('docs/primitives/mutex.md')
  expect(examples.length).toBeGreaterThan(10)
})

describe('code in documents', () => {
  test('every block is what its example says', () => {
    expect(documents.flatMap((path) => strayBlocks(path, read(path), example))).toEqual([])
  })

  test('every snippet of an example is shown somewhere', () => {
    const shown = documents.flatMap((path) =>
      blocksOf(read(path)).map(({ source }) => `${source?.example}: ${source?.name}`),
    )
    const cut = examples.flatMap((path) => [...snippetsOf(read(path)).keys()].map((name) => `${path}: ${name}`))
    expect(cut.filter((name) => !shown.includes(name))).toEqual([])
    expect(cut.length).toBeGreaterThan(20)
  })

  test('a snippet has its lines without their common indentation, and its pieces one after the other', () => {
    const text = 'a()\n  // snippet: x\n  b()\n    c()\n  // end\nd()\n  // snippet: x\n  e()\n  // end\n'
    expect([...snippetsOf(text)]).toEqual([['x', 'b()\n  c()\ne()']])
  })

  test('every call of ours in the tables of docs/migrating.md is made by its example', () => {
    const table = read('docs/migrating.md')
    expect(strayCalls(table, read('examples/redis/migrating.mjs'))).toEqual([])
    expect(table.match(/^\| /gm)?.length).toBeGreaterThan(50)
  })

  test('a call that no example makes would be noticed, and line ends count for nothing', () => {
    const table = '| a | b |\n|---|---|\n| `theirs()` | `x.run(work, { wait })`, `y()` | `any()` |\n'
    expect(strayCalls(table, 'x.run(work)')).toEqual(['x.run(work, { wait })', 'y()'])
    expect(strayCalls(table, 'x.run(\n  work, { wait })\ny()')).toEqual([])
  })

  const SOURCE = '// snippet: x\nrun()\n// end\n'
  test.each([
    ['is changed', '<!-- examples/job.mjs: x -->\n```js\nrun(1)\n```\n', 'differs from'],
    ['says no source', 'Like this:\n```js\nrun()\n```\n', 'is cut from no example'],
    ['says no source and is TypeScript', '```ts\nrun()\n```\n', 'is cut from no example'],
    ['says a source that is not there', '<!-- examples/job.mjs: y -->\n```js\nrun()\n```\n', 'which is not there'],
  ])('a block that %s would be noticed', (_, document, complaint) => {
    expect(strayBlocks('README.md', document, () => SOURCE)).toEqual([expect.stringContaining(complaint)])
  })

  test('a block that is right, and one for a shell, are left alone', () => {
    const document = '<!-- examples/job.mjs: x -->\n```js\nrun()\n```\n\n```sh\nnpm ci\n```\n'
    expect(strayBlocks('README.md', document, () => SOURCE)).toEqual([])
  })
})

describe('what documents refer to', () => {
  const files = new Set([...documents, ...examples, 'LICENSE'])
  const folders = new Set(['docs/decisions', 'examples', 'examples/redis'])
  const at = (path: string): string | null | undefined => {
    if (files.has(path)) return path.endsWith('.md') ? read(path) : null
    return folders.has(path) ? null : undefined
  }

  test('every link leads somewhere', () => {
    expect(documents.flatMap((path) => deadLinks(path, read(path), { at }))).toEqual([])
  })

  test.each(['[x](docs/nowhere.md)', '[x](docs/errors.md#nothing)', '[x](#nothing)'])(
    'a link that leads nowhere would be noticed: %s',
    (link) => {
      expect(deadLinks('README.md', link, { at })).toHaveLength(1)
    },
  )

  test('every test that the guarantees name exists', () => {
    const sources = ['packages/holdfast/test', 'packages/lab/test']
      .flatMap(filesIn)
      .filter((path) => path.endsWith('.ts') && !path.endsWith('/docs.test.ts'))
      .map(read)
      .join('\n')
    expect(missingTests(read('docs/guarantees.md'), sources)).toEqual([])
    expect(namedTests(read('docs/guarantees.md')).length).toBeGreaterThan(20)
  })

  test('a test that does not exist would be noticed, one that does is found over line ends', () => {
    const sources = `test('it holds', () => {})\nconst facts = { async "it's\\'so"() {} }`
    expect(missingTests('Shown by “it\nholds” and “it breaks”, “it holds now”.', sources)).toEqual([
      'it breaks',
      'it holds now',
    ])
  })
})

describe('what documents list', () => {
  const events = read('packages/holdfast/src/events.ts')
  const errors = read('packages/holdfast/src/errors.ts')
  const api = read('packages/holdfast/src/api.ts')
  const operations = read('docs/operations.md')

  test('every channel with all fields of its payload, in docs/operations.md', () => {
    const listed = rowsAfter(operations, '## Events').map(([channel, , fields]) => [channel?.[0], fields])
    const declared = [...memberTypes(events, 'EventByChannel')].map(([name, type]) => [name, membersOf(events, type)])
    expect(declared.length).toBeGreaterThan(5)
    expect(listed).toEqual(declared)
  })

  test('every reason of a loss, in docs/errors.md', () => {
    const listed = rowsAfter(read('docs/errors.md'), '## `LEASE_LOST`').map(([reason]) => reason?.[0])
    expect(listed.sort()).toEqual([...textsOf(errors, 'LossReason')].sort())
    expect(listed.length).toBeGreaterThan(5)
  })

  test('every option of a Holdfast object, in docs/operations.md', () => {
    const listed = rowsAfter(operations, '## Starting').map(([option]) => option?.[0])
    expect(listed.sort()).toEqual([...membersOf(api, 'HoldfastOptions')].sort())
  })
})
