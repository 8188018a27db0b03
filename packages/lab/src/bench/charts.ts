/**
 * Charts of figures, drawn here and not in the browser: the page needs no script. Text and lines take the colour of the
 * page around them, so one drawing does for light and dark; for narrow screens each is drawn a second time.
 */

import { BarChart, type BarSeriesOption } from 'echarts/charts'
import { GridComponent, type GridComponentOption } from 'echarts/components'
import { type ComposeOption, init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import type { Chart } from './measurement.ts'
import { figure } from './report.ts'
import type { SceneRow } from './scenes.ts'

use([BarChart, GridComponent, SVGRenderer])

type Option = ComposeOption<BarSeriesOption | GridComponentOption>

/** Stands for the colour of the text around; the drawing knows only colours that have a value. */
const INK = '#010203'
const FAINT = '#010204'
const BAR_PX = 11
const GAP_PX = 26
const HEAD_PX = 6
/** Text is wider in some browsers than it is taken for here. */
const EDGE_PX = 20
const FOOT_PX = 30
const RAW: readonly string[] = ['#8b949e', '#b1bac4']
const OURS: readonly string[] = ['#2f81f7', '#22b8cf', '#9775fa']
const OTHERS: readonly string[] = ['#f76707', '#f2b705', '#e64980', '#37b24d', '#c77d4f', '#b197fc']

export type Colours = ReadonlyMap<string, string>

/** The same contender has the same colour wherever it comes. */
export function coloursOf(names: readonly string[]): Colours {
  const colours = new Map<string, string>()
  const used = { raw: 0, ours: 0, others: 0 }
  for (const name of new Set(names)) {
    const kind = name.startsWith('raw') ? 'raw' : name.startsWith('holdfast') ? 'ours' : 'others'
    const palette = { raw: RAW, ours: OURS, others: OTHERS }[kind]
    colours.set(name, palette[used[kind] % palette.length] ?? INK)
    used[kind] += 1
  }
  return colours
}

export function draw(chart: Chart, rows: readonly SceneRow[], colours: Colours, widthPx: number): string {
  const shown = rows.filter(({ figures }) => figures[chart.figure] !== undefined)
  const scenes = [...new Set(shown.map(({ scene }) => scene))]
  const names = [...new Set(shown.map(({ who }) => who))]
  const heightPx = HEAD_PX + scenes.length * (names.length * BAR_PX + GAP_PX) + FOOT_PX
  const drawing = init(null, null, { renderer: 'svg', ssr: true, width: widthPx, height: heightPx })
  try {
    drawing.setOption(optionOf(chart, shown, scenes, names, colours))
    const svg = drawing.renderToSVGString({ useViewBox: true })
    return svg.replaceAll(INK, 'currentColor').replaceAll(FAINT, 'currentColor')
  } finally {
    // Left open it would keep the process from ending.
    drawing.dispose()
  }
}

function optionOf(
  { figure: name, log = false }: Chart,
  rows: readonly SceneRow[],
  scenes: readonly string[],
  names: readonly string[],
  colours: Colours,
): Option {
  const text = { color: INK, fontSize: 12 }
  return {
    animation: false,
    textStyle: { ...text, fontFamily: 'system-ui, sans-serif' },
    grid: {
      left: EDGE_PX,
      right: EDGE_PX,
      top: HEAD_PX,
      bottom: 4,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    xAxis: {
      type: log ? 'log' : 'value',
      axisLabel: { ...text, hideOverlap: true, formatter: (value: number) => figure(value) },
      splitLine: { lineStyle: { color: FAINT, opacity: 0.15 } },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: [...scenes],
      axisLabel: { ...text, width: 92, overflow: 'break' },
      axisLine: { lineStyle: { color: FAINT, opacity: 0.4 } },
      axisTick: { show: false },
    },
    series: names.map((who) => ({
      type: 'bar',
      name: who,
      barWidth: BAR_PX - 2,
      barGap: '20%',
      itemStyle: { color: colours.get(who) ?? INK },
      data: scenes.map((scene) => {
        const value = rows.find((row) => row.scene === scene && row.who === who)?.figures[name]
        return value === undefined || Number.isNaN(value) || (log && value <= 0) ? '-' : value
      }),
    })),
  }
}
