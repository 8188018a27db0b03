/** One figure of many strategies as bars, the longest first where more is better. */
import type { Verdict } from '../strategies/strategy.ts'
import { drawn, INK, TEXT } from './drawing.ts'
import { COLOUR, SIGN } from './verdict-signs.ts'

export interface Bar {
  readonly name: string
  readonly value: number
  readonly verdict: Verdict
}

export interface BarsOptions {
  readonly title: string
  readonly better: 'more' | 'less'
  readonly log?: boolean
}

const BAR_PX = 18
const EDGE_PX = 34
const NARROW_PX = 500
/** A logarithm has no nought. */
const LOG_MIN = 0.001

export function barsOf(bars: readonly Bar[], { title, better, log = false }: BarsOptions): string {
  const sorted = [...bars].sort((a, b) => (better === 'more' ? b.value - a.value : a.value - b.value))
  const heightPx = sorted.length * BAR_PX + EDGE_PX
  return drawn(title, heightPx, (widthPx) => ({
    grid: { left: widthPx < NARROW_PX ? 160 : 240, right: 60, top: 4, bottom: 24 },
    xAxis: {
      type: log ? 'log' : 'value',
      axisLabel: { ...TEXT, hideOverlap: true },
      splitLine: { lineStyle: { color: INK, opacity: 0.15 } },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: sorted.map(({ name, verdict }) => `${name} ${SIGN[verdict]}`),
      axisLabel: { ...TEXT, fontSize: widthPx < NARROW_PX ? 10 : 12, interval: 0 },
      axisTick: { show: false },
    },
    series: [
      {
        type: 'bar',
        barWidth: BAR_PX - 7,
        label: { show: true, position: 'right', ...TEXT, formatter: ({ value }: { value: number }) => shown(value) },
        data: sorted.map(({ value, verdict }) => ({
          value: log ? Math.max(value, LOG_MIN) : value,
          itemStyle: { color: COLOUR[verdict] },
        })),
      },
    ],
  }))
}

export function shown(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  if (value >= 10) return value.toFixed(0)
  return value >= 1 || value === 0 ? value.toFixed(1) : value.toPrecision(2)
}
