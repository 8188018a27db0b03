/** Every scene shows what it is there to show, with real processes and real servers. */
import { describe, expect, test } from 'vitest'
import { SCENES } from '../../src/scenes/index.ts'
import { lab } from './program.ts'

describe.concurrent('scenes', () => {
  test.each(SCENES.map(({ name, title }) => ({ name, title })))('$title ($name)', async ({ name }) => {
    const { code, out } = await lab(['scene', name])
    expect(code, out).toBe(0)
  })
})
