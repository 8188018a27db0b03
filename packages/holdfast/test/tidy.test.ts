/**
 * Holds the repository to its own style. Each rule is first tried on small made-up repositories that break it and on
 * some that only look like it, so a rule that cannot fail, or fails on good code, is found here.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { rules as language } from './tidy/language.ts'
import { rules as layers } from './tidy/layers.ts'
import { rules as reach } from './tidy/reach.ts'
import { made, onDisk } from './tidy/repository.ts'
import { rules as shape } from './tidy/shape.ts'
import { rules as upkeep } from './tidy/upkeep.ts'

const repository = onDisk()
const rules = [...layers, ...shape, ...reach, ...language, ...upkeep]

test('the rules look at this repository', () => {
  expect(repository.paths).toContain('packages/holdfast/src/index.ts')
  expect(repository.paths).toContain('packages/holdfast/test/tidy.test.ts')
  expect(repository.paths).toContain('package-lock.json')
  expect(repository.paths.some((path) => path.includes('node_modules'))).toBe(false)
})

test('every rule has its own planted violations and its own lookalikes', () => {
  for (const { says, planted, fine } of rules) {
    expect([says, planted.length > 0, fine.length > 0]).toEqual([says, true, true])
  }
  expect(new Set(rules.map(({ says }) => says)).size).toBe(rules.length)
})

test('the modules that are made from Lua files are fresh', () => {
  const script = fileURLToPath(new URL('../../../scripts/lua.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect([stderr, status]).toEqual(['', 0])
})

describe.each(rules)('$says', ({ broken, planted, fine }) => {
  test('it is so', () => {
    expect(broken(repository)).toEqual([])
  })

  test.each(planted.map((files) => ({ files, text: JSON.stringify(files).slice(0, 120) })))(
    'found: $text',
    ({ files }) => {
      expect(broken(made(files))).not.toEqual([])
    },
  )

  test.each(fine.map((files) => ({ files, text: JSON.stringify(files).slice(0, 120) })))(
    'left alone: $text',
    ({ files }) => {
      expect(broken(made(files))).toEqual([])
    },
  )
})
