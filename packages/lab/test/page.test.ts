/** The page of what was found. */
import { expect, test } from 'vitest'
import { atLeast, type Measurement } from '../src/bench/measurement.ts'
import { pageOf } from '../src/bench/page.ts'
import { named } from '../src/bench/scenes.ts'

const measurement: Measurement = {
  name: 'm',
  what: 'who is <quickest> & best',
  charts: [{ figure: 'perSecond', title: 'Sections a second', better: 'more', log: true }],
  measure: () => Promise.reject(new Error('not here')),
}
const round = {
  ...named('2 tasks', 'raw@client', { perSecond: 7, commands: 2 }),
  ...named('2 tasks', 'holdfast@client', { perSecond: 1234, commands: 1 }),
  ...named('9 tasks', 'holdfast@client', { perSecond: Number.NaN, commands: 1 }),
}
const found = { measurement, failure: null, rounds: [round], checks: [atLeast('quick', 1, 2)] }
const page = pageOf(['here'], new Date(0), [found])

test('the page asks for nothing from anywhere and runs nothing', () => {
  expect(page).not.toMatch(/<script|<link[^>]+href="(?!data:)|\bsrc=|@import|url\(/)
})

test('each chart is drawn for wide and for narrow screens, in the colour of the text around it', () => {
  expect(page.match(/<svg/g)).toHaveLength(2)
  expect(page).toContain('currentColor')
  expect(page).not.toMatch(/#01020[34]/)
})

test('the table beside a chart has a line for each contender and says where nothing could be measured', () => {
  expect(page).toContain('<tr><td>holdfast@client</td><td>1,234</td><td>–</td></tr>')
  expect(page).toContain('<tr><td>raw@client</td><td>7</td><td>–</td></tr>')
})

test('what is not meant as markup is none', () => {
  expect(page).toContain('who is &lt;quickest&gt; &amp; best')
})

test('a missed promise and a measurement that failed are seen', () => {
  expect(page).toContain('0 kept, 1 missed')
  const failed = pageOf(['here'], new Date(0), [{ ...found, failure: 'it broke', rounds: [], checks: [] }])
  expect(failed).toContain('<p class="missed">it broke</p>')
})
