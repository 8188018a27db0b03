/** What a run found as one page that needs nothing else: no script, no font and no picture from anywhere. */
import { type Bar, barsOf, shown } from './bars.ts'
import { commands, comparisonsIn, type Figure, perSecond } from './comparisons.ts'
import type { Findings, FoundScene, FoundStrategy, Source } from './findings.ts'
import { escaped, tableOf } from './html.ts'
import { STYLE } from './style.ts'
import { timelinePicture } from './timeline-picture.ts'
import { SIGN, verdictOf } from './verdict-signs.ts'

export function pageOf(findings: Findings): string {
  const { at, machine, crowd, strategies, leftOut } = findings
  const { stock, requests, concurrency, processes } = crowd
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Every way to lock, side by side</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Every way to lock, side by side</h1>
<p>A flash sale of ${stock.toLocaleString('en-US')} pieces to ${requests.toLocaleString('en-US')} requests, ${concurrency} at a time,
served by ${processes} processes. Each purchase reads the stock, pays, and writes the stock back. What was sold is read from
the receipts. ${[at, ...machine].map(escaped).join('; ')}.</p>
<p>${SIGN.right} right, in the sale and in the scenes that are played with it &nbsp; ${SIGN['right until']} right until something happens, which a scene below makes certain &nbsp; ${SIGN.wrong} wrong in the sale itself</p>
${verdictTable(strategies)}
${leftOut.length === 0 ? '' : `<p>Not tried: ${leftOut.map(({ title, needs }) => escaped(`${title} (needs ${needs})`)).join('; ')}.</p>`}
<h2 id="figures">Figures</h2>
${figures(strategies)}
<h2 id="compared">Compared</h2>
${compared(strategies)}
<h2 id="staircase">The staircase</h2>
<p>In the pictures a beam is as long as somebody believes to be alone, and a dashed field is where two believe so at once. What
happened is drawn in its order, not to scale.</p>
${strategies.map(section).join('\n')}
</body>
</html>
`
}

function verdictTable(strategies: readonly FoundStrategy[]): string {
  const rows = strategies.map((found) => {
    const { step, name, title, store, made, sale, judged } = found
    return [
      String(step),
      `<a href="#${escaped(name)}">${escaped(title)}</a>`,
      escaped(made === 'Holdfast' ? `${store}, Holdfast` : store),
      `<span class="${judged.verdict.replace(' ', '-')}">${SIGN[judged.verdict]} ${escaped(verdictOf(found))}</span>`,
      [sale.books.sold, sale.books.left, sale.unfinished].map((count) => count.toLocaleString('en-US')).join(' / '),
      shown(perSecond(found) ?? 0),
    ]
  })
  return tableOf(
    ['step', 'strategy', 'store', 'verdict', 'sold / left / unfinished', 'sales a second'],
    rows,
    'verdicts',
  )
}

function figures(strategies: readonly FoundStrategy[]): string {
  const bars = (figure: Figure): readonly Bar[] =>
    strategies.flatMap((found) => {
      const value = figure(found)
      return value === null ? [] : [{ name: found.name, value, verdict: found.judged.verdict }]
    })
  const charts = [
    barsOf(bars(perSecond), { title: 'Sales a second', better: 'more' }),
    barsOf(
      bars(({ sale }) => sale.rush.p99Ms),
      { title: 'Slowest answers: p99 in milliseconds', better: 'less', log: true },
    ),
    barsOf(bars(commands), { title: 'Commands to the server for each sale', better: 'less', log: true }),
  ]
  const titles = [
    'Sales a second, until the last piece',
    'The slowest hundredth waits longer than (ms, logarithmic)',
    'Commands to the server for each sale (logarithmic)',
  ]
  return charts.map((chart, number) => `<h3>${titles[number] ?? ''}</h3>\n${chart}`).join('\n')
}

function compared(strategies: readonly FoundStrategy[]): string {
  const found = comparisonsIn(strategies)
  if (found.length === 0) return '<p>This run has no two that are compared.</p>'
  const rows = found.flatMap(({ title, better, than, figures: all }) =>
    all.map(({ what, better: one, than: other, ratio }) => [
      escaped(title),
      escaped(what),
      `${escaped(better)}: ${shown(one)}`,
      `${escaped(than)}: ${shown(other)}`,
      `<b>${ratio >= 0.1 ? ratio.toFixed(2) : ratio.toFixed(3)}</b>`,
    ]),
  )
  const bars = found.flatMap(({ title, figures: all }) =>
    all.map(
      ({ what, ratio }): Bar => ({ name: `${title.split(' against')[0]}: ${what}`, value: ratio, verdict: 'right' }),
    ),
  )
  const chart = barsOf(bars, { title: 'Ratios', better: 'more', log: true })
  return `${tableOf(['', 'figure', 'this', 'against', 'ratio'], rows)}\n${chart}`
}

function section(found: FoundStrategy): string {
  const { name, step, title, fixes, leaves, judged, scenes, source } = found
  return `<section id="${escaped(name)}">
<h3>${step}. ${escaped(title)}</h3>
<p class="verdict ${judged.verdict.replace(' ', '-')}">${SIGN[judged.verdict]} ${escaped(verdictOf(found))}</p>
<p><b>Fixes</b> ${escaped(fixes)}<br><b>Leaves</b> ${escaped(leaves)}</p>
<details><summary>The code: <code>${escaped(name)}</code></summary>${code(source)}</details>
${scenes.map(scene).join('\n')}
</section>`
}

function scene(found: FoundScene): string {
  const { title, broken, says, happenings } = found
  const lines = happenings.map(({ atMs, who, what }) => [`${Math.round(atMs)} ms`, escaped(who ?? ''), escaped(what)])
  return `<div class="scene"><h4>${broken ? SIGN.wrong : SIGN.right} ${escaped(title)}</h4>
<p>${escaped(says)}</p>
${timelinePicture(found)}
<details><summary>What happened, line by line</summary>${tableOf(['when', 'who', 'what'], lines)}</details></div>`
}

function code({ text, line }: Source): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((one, index) => {
      const html = escaped(one) || ' '
      return index + 1 === line ? `<mark>${html}</mark>` : html
    })
  return `<pre>${lines.join('\n')}</pre>`
}
