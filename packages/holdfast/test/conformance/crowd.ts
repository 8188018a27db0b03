/**
 * Facts about several processes that use the same names at the same time. Each process runs the same function; what
 * they see of each other, apart from the store, are files that only one can make.
 */
import assert from 'node:assert/strict'
import { appendFileSync, closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Holdfast } from '../../src/index.ts'
import { numbers, pause, until } from './waiting.ts'

export interface Crowd {
  readonly locks: Holdfast
  /** A folder that all of them see. */
  readonly folder: string
  /** Which one of them this is, from 0. */
  readonly me: number
  readonly count: number
}

const ROUNDS = 25

/** A place that holds one: making the file of a place that is taken fails. */
async function inside(folder: string, place: string, stayMs: number): Promise<void> {
  const file = join(folder, place)
  closeSync(openSync(file, 'wx'))
  await pause(stayMs)
  rmSync(file)
}

function lines(folder: string, file: string): string[] {
  return readFileSync(join(folder, file), 'utf8').trim().split('\n')
}

export const crowds: Readonly<Record<string, (crowd: Crowd) => Promise<void>>> = {
  async 'one holds a mutex at a time, with rising fences'({ locks, folder }) {
    const section = ({ fence }: { readonly fence: bigint }): Promise<void> => {
      appendFileSync(join(folder, 'fences'), `${fence}\n`)
      return inside(folder, 'mutex', 1)
    }
    await Promise.all(numbers(ROUNDS).map(() => locks.mutex('mutex').run(section, { wait: '50s' })))
    const fences = lines(folder, 'fences').map(BigInt)
    assert.ok(fences.every((fence, index) => index === 0 || fence > (fences[index - 1] ?? fence)))
  },

  async 'a counter without any protection of its own loses nothing under the mutex'({ locks, folder, count }) {
    const file = join(folder, 'count')
    for (const _ of numbers(ROUNDS)) {
      await locks.mutex('count').run(
        async () => {
          const seen = await readFile(file, 'utf8').catch(() => '0')
          await pause(1)
          await writeFile(file, `${Number(seen) + 1}`)
        },
        { wait: '50s' },
      )
    }
    await locks.latch('counted', count).countDown(`${process.pid}`)
    await locks.latch('counted', count).wait({ wait: '50s' })
    assert.equal(Number(readFileSync(file, 'utf8')), ROUNDS * count)
  },

  async 'readers and a writer are never inside together'({ locks, folder, me }) {
    for (const round of numbers(ROUNDS)) {
      if (round % 4 === me % 4) {
        await locks
          .rwlock('book')
          .write()
          .run(() => inside(folder, 'writer', 2), { wait: '50s' })
      } else {
        await locks
          .rwlock('book')
          .read()
          .run(
            async () => {
              assert.throws(() => readFileSync(join(folder, 'writer')), { code: 'ENOENT' })
              await pause(1)
              assert.throws(() => readFileSync(join(folder, 'writer')), { code: 'ENOENT' })
            },
            { wait: '50s' },
          )
      }
    }
  },

  async 'permits with slots: each slot is one’s alone'({ locks, folder }) {
    const pool = locks.semaphore('pool', { capacity: 3 })
    await Promise.all(
      numbers(ROUNDS).map(() =>
        pool.run(({ slot }) => inside(folder, `slot ${slot?.number}`, 1), { slot: true, wait: '50s' }),
      ),
    )
  },

  async 'several locks are taken in whichever order, without a circle'({ locks, folder, me }) {
    const names = ['a', 'b', 'c', 'd']
    for (const round of numbers(ROUNDS)) {
      const mine = [names[(me + round) % 4], names[(me + round * 3 + 1) % 4]].filter((name) => name !== undefined)
      const things = [...new Set(mine)].map((name) => locks.mutex(name))
      await locks.all(things).run(() => Promise.all(things.map(({ name }) => inside(folder, `all ${name}`, 1))), {
        wait: '50s',
      })
    }
  },

  async 'all pass a barrier together, generation after generation'({ locks, folder, count }) {
    for (const generation of numbers(5)) {
      appendFileSync(join(folder, `generation ${generation}`), `${process.pid}\n`)
      await locks.barrier('gate', count).pass({ wait: '50s' })
      assert.equal(lines(folder, `generation ${generation}`).length, count)
    }
  },

  async 'one leads at a time, and all have their term'({ locks, folder, count }) {
    const controller = new AbortController()
    const term = async (): Promise<void> => {
      await inside(folder, 'leader', 5)
      appendFileSync(join(folder, 'terms'), `${process.pid}\n`)
      controller.abort()
    }
    await locks.election('chair').lead(term, { signal: controller.signal, value: `${process.pid}` })
    await until('all have led', () => new Set(lines(folder, 'terms')).size === count, 50_000)
  },

  async 'a cell that all write under a condition counts each of them'({ locks, count }) {
    const cell = locks.cell('count')
    for (const _ of numbers(ROUNDS)) {
      for (;;) {
        const seen = await cell.get()
        const value = `${Number(seen?.value ?? 0) + 1}`
        if ((await cell.set(value, { ifVersion: seen?.version ?? null })) !== null) break
      }
    }
    await until('all have counted', async () => (await cell.get())?.value === `${ROUNDS * count}`, 50_000)
  },
}
