/** The stock of the sale on a real file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findDriver } from '../src/sale/driver.ts'
import { openShelf, stockShelf } from '../src/sale/shelf.ts'

const driver = await findDriver()
const folder = mkdtempSync(join(tmpdir(), 'holdfast-shelf-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('two who read before either writes sell one piece twice: the race is in the shelf, not in the servers', () => {
  const file = join(folder, 'race.db')
  stockShelf(driver, file, 10)
  const [one, two] = [openShelf(driver, file), openShelf(driver, file)]
  const [seenByOne, seenByTwo] = [one.left(), two.left()]
  one.writeBack(seenByOne - 1, { pid: 1, turnAtMs: 1.5, fence: 2n ** 62n })
  two.writeBack(seenByTwo - 1, { pid: 2, turnAtMs: 2.5, fence: null })
  expect([one.left(), one.sold()]).toEqual([9, 2])
  expect(two.receipts()).toEqual([
    { pid: 1, turnAtMs: 1.5, fence: 2n ** 62n },
    { pid: 2, turnAtMs: 2.5, fence: null },
  ])
  one.close()
  two.close()
})
