/** What was found as one page that needs nothing else: no script, no font and no picture from anywhere. */
import { escaped } from '../findings/html.ts'
import { type Colours, coloursOf, draw } from './charts.ts'
import type { Chart, Check } from './measurement.ts'
import { columnsOf, type Found, figure, figureRows, sceneRows, shown } from './report.ts'
import type { SceneRow } from './scenes.ts'

const WIDE_PX = 640
const NARROW_PX = 340

const STYLE = `
:root { color-scheme: light dark; --ink: #1f2328; --paper: #ffffff; --line: #d0d7de; --bad: #cf222e; --good: #1a7f37 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --line: #3d444d; --bad: #ff7b72; --good: #56d364 }
}
body { margin: 0 auto; max-width: 1240px; padding: 1rem; color: var(--ink); background: var(--paper); font: 15px/1.5 system-ui, sans-serif }
h1 { font-size: 1.6rem } h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem } h3 { margin-bottom: .5rem }
.pair { display: grid; gap: 1rem 2rem; align-items: start; grid-template-columns: minmax(0, 1fr) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
th:first-child, td:first-child, td.text, th.text { text-align: left }
td.text { white-space: normal }
th { white-space: normal; vertical-align: bottom }
.names { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: 0 0 .5rem; padding: 0; list-style: none; font-size: 13px }
.names i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; border-radius: 2px }
svg { display: block; width: 100%; height: auto } .wide { display: none }
.missed { color: var(--bad); font-weight: 600 } .kept { color: var(--good) }
summary { cursor: pointer; padding: .5rem 0 }
@media (min-width: 700px) { .wide { display: block; max-width: ${WIDE_PX}px } .narrow { display: none } }
@media (min-width: 1100px) { .pair { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) } }
`

export function pageOf(place: readonly string[], at: Date, all: readonly Found[]): string {
  const colours = coloursOf(all.flatMap(({ rounds }) => sceneRows(rounds).map(({ who }) => who)))
  const checks = all.flatMap((found) => found.checks)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Holdfast, measured</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Holdfast, measured</h1>
<p>${escaped(at.toISOString())}. ${place.map(escaped).join('; ')}. Medians over the rounds.</p>
${checks.length === 0 ? '' : checkTable(checks)}
${all.map((found) => section(found, colours)).join('\n')}
</body>
</html>
`
}

function section(found: Found, colours: Colours): string {
  const { measurement, failure, rounds } = found
  const rows = sceneRows(rounds)
  const charts = (measurement.charts ?? []).map((chart) => chartOf(chart, rows, colours))
  const figures = rows.length > 0 ? sceneTable(rows) : flatTable(found)
  const result = failure === null ? `${charts.join('\n')}\n${figures}` : `<p class="missed">${escaped(failure)}</p>`
  return `<h2 id="${escaped(measurement.name)}">${escaped(measurement.name)}</h2>
<p>${escaped(measurement.what)}</p>
${result}`
}

function chartOf(chart: Chart, rows: readonly SceneRow[], colours: Colours): string {
  const note = `${chart.better} is better${chart.log === true ? '; the scale is logarithmic' : ''}`
  const drawn = [
    ['wide', WIDE_PX],
    ['narrow', NARROW_PX],
  ] as const
  const drawings = drawn.map(([name, px]) => `<div class="${name}">${draw(chart, rows, colours, px)}</div>`)
  return `<h3>${escaped(chart.title)}</h3>
<p>${note}</p>
${namesOf(chart, rows, colours)}
<div class="pair"><div role="img" aria-label="${escaped(chart.title)}; the table has the same figures">${drawings.join('')}</div>
${crossTable(chart, rows)}</div>`
}

function namesOf({ figure: name }: Chart, rows: readonly SceneRow[], colours: Colours): string {
  const names = new Set(rows.filter(({ figures }) => figures[name] !== undefined).map(({ who }) => who))
  const items = [...names].map((who) => `<li><i style="background:${colours.get(who) ?? ''}"></i>${escaped(who)}</li>`)
  return `<ul class="names">${items.join('')}</ul>`
}

/** A line for each contender, a column for each scene. */
function crossTable({ figure: name }: Chart, rows: readonly SceneRow[]): string {
  const of = rows.filter(({ figures }) => figures[name] !== undefined)
  const scenes = [...new Set(of.map(({ scene }) => scene))]
  const lines = [...new Set(of.map(({ who }) => who))].map((who) => [
    who,
    ...scenes.map((scene) => shown(of.find((row) => row.scene === scene && row.who === who)?.figures[name])),
  ])
  return table(['', ...scenes], lines)
}

function sceneTable(rows: readonly SceneRow[]): string {
  const columns = columnsOf(rows)
  const lines = rows.map(({ scene, who, figures }) => [
    `${scene}: ${who}`,
    ...columns.map((column) => shown(figures[column])),
  ])
  return `<details><summary>All figures</summary>${table(['', ...columns], lines)}</details>`
}

function flatTable(found: Found): string {
  const lines = figureRows(found).map(([, ...cells]) => cells)
  return table(['', 'median', 'least', 'most'], lines)
}

function checkTable(checks: readonly Check[]): string {
  const missed = checks.filter(({ ok }) => !ok).length
  const lines = checks.map(({ ok, what, kind, limit, got }) => {
    const word = ok ? 'kept' : 'missed'
    return `<tr><td class="${word}">${word}</td><td class="text">${escaped(what)}</td><td>${kind} ${figure(limit)}</td><td>${shown(got)}</td></tr>`
  })
  return `<h2 id="promises">Promises: ${checks.length - missed} kept, ${missed} missed</h2>
<div class="scroll"><table><thead><tr><th></th><th class="text">promise</th><th>limit</th><th>median</th></tr></thead>
<tbody>${lines.join('\n')}</tbody></table></div>`
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: 'td' | 'th'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`
  const body = lines.map((cells) => row(cells, 'td')).join('\n')
  return `<div class="scroll"><table><thead>${row(head, 'th')}</thead>\n<tbody>${body}</tbody></table></div>`
}
