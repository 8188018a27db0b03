/** Sales with a small crowd, what is kept of them, and the page that is drawn of it, looked at in a browser. */
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { find, requirePrograms } from '../../../../scripts/servers/programs.ts'
import { readFindings } from '../../src/findings/findings.ts'
import { lab, newFolder } from './program.ts'

const folder = newFolder()
const STRATEGIES = ['no-lock', 'delete-by-script', 'row-lock', 'advisory-lock', 'quorum-of-three', 'fenced']
const CROWD = ['--requests', '600', '--stock', '100', '--concurrency', '50', '--seconds', '5']

beforeAll(async () => {
  requirePrograms(['chromium'])
  const ran = await lab(['run', ...STRATEGIES, ...CROWD], folder)
  expect(ran.code, ran.out).toBe(0)
  expect((await lab(['report'], folder)).code).toBe(0)
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a sale without a lock sells more than there is, and one with a lock sells just that', () => {
  const { strategies } = readFindings(join(folder, 'holdfast-lab.json'))
  const sold = Object.fromEntries(strategies.map(({ name, sale }) => [name, sale?.books.sold]))
  const { 'no-lock': unlocked, ...locked } = sold
  expect(unlocked).toBeGreaterThan(100)
  expect(locked).toEqual(Object.fromEntries(STRATEGIES.slice(1).map((name) => [name, 100])))
})

test('a strategy is judged by its sale and by its scenes', () => {
  const { strategies } = readFindings(join(folder, 'holdfast-lab.json'))
  expect(Object.fromEntries(strategies.map(({ name, judged }) => [name, judged.verdict]))).toEqual({
    'no-lock': 'wrong',
    'delete-by-script': 'right until',
    'row-lock': 'right',
    'advisory-lock': 'right',
    'quorum-of-three': 'right',
    fenced: 'right',
  })
})

test('commands are counted where there is a server to send them to', () => {
  const { strategies } = readFindings(join(folder, 'holdfast-lab.json'))
  const counted = strategies.filter(({ sale }) => (sale?.tally.commands ?? 0) >= 100).map(({ name }) => name)
  expect(counted).toEqual(STRATEGIES.slice(1))
})

test('the page is one file that asks for nothing else', () => {
  const page = join(folder, 'holdfast-lab.html')
  expect(readFileSync(page, 'utf8')).not.toMatch(/<script|<link rel="stylesheet"|src=|@import|url\(/)
  expect(statSync(page).size).toBeLessThan(3_000_000)
})

test('a browser shows verdicts, charts, timelines and sources, and complains of nothing', async () => {
  await looked({ width: 1200, height: 900 }, async (page) => {
    expect(await page.locator('table.verdicts tbody tr').count()).toBe(STRATEGIES.length)
    expect(await page.locator('#no-lock .verdict').textContent()).toContain('wrong')
    expect(await page.locator('#delete-by-script .verdict').textContent()).toContain(
      'right until the work outlives the lock',
    )
    expect(await page.locator('#delete-by-script .scene svg:visible').count()).toBeGreaterThan(2)
    await page.locator('#delete-by-script summary').first().click()
    expect(await page.locator('#delete-by-script mark').textContent()).toContain('DELETE_IF_MINE')
  })
})

test('it fits a phone, in the dark', async () => {
  await looked({ width: 390, height: 800 }, async (page) => {
    await page.emulateMedia({ colorScheme: 'dark' })
    const { width, paper } = await page.evaluate<Shape>(`({
      width: document.documentElement.scrollWidth,
      paper: getComputedStyle(document.body).backgroundColor,
    })`)
    expect(width).toBeLessThanOrEqual(390)
    expect(paper).toBe('rgb(13, 17, 23)')
  })
})

interface Shape {
  readonly width: number
  readonly paper: string
}

async function looked(viewport: { width: number; height: number }, look: (page: Page) => Promise<void>): Promise<void> {
  const executablePath = find('chromium')
  if (executablePath === null) throw new Error('there is no Chromium')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('requestfailed', (request) => complaints.push(request.url()))
    await page.goto(pathToFileURL(join(folder, 'holdfast-lab.html')).href)
    await look(page)
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
}
