/** A scene as a picture: a row a customer, a beam while it believes to be alone, a dot for each thing that happened. */

import { drawn, INK, TEXT } from './drawing.ts'
import type { FoundScene } from './findings.ts'
import { COLOUR } from './verdict-signs.ts'

const ROW_PX = 34
const FOOT_PX = 30
const BEAM = 0.5
const STORE = 'store'

interface Item {
  value(dimension: number): number
  coord(point: readonly number[]): number[]
  size(value: readonly number[]): number[]
}

export function timelinePicture({ title, strategy, happenings, beliefs }: FoundScene): string {
  const rows = [...new Set(happenings.map(({ who }) => who ?? STORE))].sort(
    (a, b) => order(a) - order(b) || a.localeCompare(b),
  )
  const rowOf = (who: string | null): number => rows.indexOf(who ?? STORE)
  const overlaps = together(beliefs)
  const beam = (_: unknown, api: { value: Item['value']; coord: Item['coord']; size: Item['size'] }): unknown => {
    const [from = 0, y = 0] = api.coord([api.value(0), api.value(2)])
    const [to = 0] = api.coord([api.value(1), api.value(2)])
    const height = (api.size([0, 1])[1] ?? ROW_PX) * BEAM
    return {
      type: 'rect',
      shape: { x: from, y: y - height / 2, width: Math.max(2, to - from), height },
      style: { fill: COLOUR.right, opacity: 0.55 },
    }
  }
  const band = (_: unknown, api: { value: Item['value']; coord: Item['coord'] }): unknown => {
    const [from = 0, bottom = 0] = api.coord([api.value(0), rows.length - 0.5])
    const [to = 0, top = 0] = api.coord([api.value(1), -0.5])
    return {
      type: 'rect',
      shape: { x: from, y: Math.min(top, bottom), width: Math.max(2, to - from), height: Math.abs(bottom - top) },
      style: { fill: COLOUR.wrong, opacity: 0.25, stroke: COLOUR.wrong, lineDash: [3, 3] },
    }
  }
  return drawn(`${title}, with ${strategy}`, rows.length * ROW_PX + FOOT_PX, () => ({
    grid: { left: 50, right: 16, top: 4, bottom: 24 },
    xAxis: {
      type: 'value',
      axisLabel: { ...TEXT, formatter: (ms: number) => `${ms} ms`, hideOverlap: true },
      splitLine: { lineStyle: { color: INK, opacity: 0.12 } },
    },
    yAxis: { type: 'category', inverse: true, data: rows, axisLabel: TEXT, axisTick: { show: false } },
    series: [
      {
        type: 'custom',
        renderItem: band,
        data: overlaps.map(({ fromMs, toMs }) => [fromMs, toMs]),
        encode: { x: [0, 1] },
      },
      {
        type: 'custom',
        renderItem: beam,
        encode: { x: [0, 1], y: 2 },
        data: beliefs.map(({ who, fromMs, toMs }) => [fromMs, toMs, rowOf(who)]),
      },
      {
        type: 'scatter',
        symbolSize: 6,
        itemStyle: { color: INK },
        data: happenings.map(({ atMs, who }) => [atMs, rowOf(who)]),
      },
    ],
  }))
}

const order = (row: string): number => (row === STORE ? 1 : 0)

/** When two or more believed to be alone. */
export function together(
  beliefs: FoundScene['beliefs'],
): readonly { readonly fromMs: number; readonly toMs: number }[] {
  return beliefs.flatMap((one, index) =>
    beliefs.slice(index + 1).flatMap((other) => {
      const [fromMs, toMs] = [Math.max(one.fromMs, other.fromMs), Math.min(one.toMs, other.toMs)]
      return one.who !== other.who && fromMs < toMs ? [{ fromMs, toMs }] : []
    }),
  )
}
