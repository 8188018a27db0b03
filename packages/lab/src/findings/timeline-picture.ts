/**
 * A scene as a picture: a row a customer, a beam while it believes to be alone, a dot for each thing that happened. What
 * happened is drawn in its order and not to scale: most of it is a few milliseconds around a long wait.
 */

import { drawn, INK, TEXT } from './drawing.ts'
import type { FoundScene } from './findings.ts'
import { COLOUR } from './verdict-signs.ts'

const ROW_PX = 34
const FOOT_PX = 30
const BEAM = 0.5
/** Room for a label of the axis. */
const LABEL_PX = 70
const STORE = 'store'

/** What the charting library gives to who draws an item. */
interface Drawing {
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
  const beam = (_: unknown, api: Drawing): unknown => {
    const [from = 0, y = 0] = api.coord([api.value(0), api.value(2)])
    const [to = 0] = api.coord([api.value(1), api.value(2)])
    const height = (api.size([0, 1])[1] ?? ROW_PX) * BEAM
    return {
      type: 'rect',
      shape: { x: from, y: y - height / 2, width: Math.max(2, to - from), height },
      style: { fill: COLOUR.right, opacity: 0.55 },
    }
  }
  const band = (_: unknown, api: Drawing): unknown => {
    const height = api.size([0, 1])[1] ?? ROW_PX
    const [from = 0, top = 0] = api.coord([api.value(0), 0])
    const [to = 0, bottom = 0] = api.coord([api.value(1), rows.length - 1])
    return {
      type: 'rect',
      shape: { x: from, y: top - height / 2, width: Math.max(2, to - from), height: bottom - top + height },
      style: { fill: COLOUR.wrong, opacity: 0.25, stroke: COLOUR.wrong, lineDash: [3, 3] },
    }
  }
  const place = placesOf(happenings)
  return drawn(`${title}, with ${strategy}`, rows.length * ROW_PX + FOOT_PX, (widthPx) => ({
    grid: { left: 50, right: 24, top: 4, bottom: 24 },
    xAxis: {
      type: 'value',
      min: 0,
      max: happenings.length,
      interval: Math.ceil(happenings.length / (widthPx / LABEL_PX)),
      axisLabel: { ...TEXT, hideOverlap: true, formatter: (index: number) => timeAt(happenings, index) },
      splitLine: { lineStyle: { color: INK, opacity: 0.12 } },
    },
    yAxis: { type: 'category', inverse: true, data: rows, axisLabel: TEXT, axisTick: { show: false } },
    series: [
      {
        type: 'custom',
        renderItem: band,
        encode: { x: [0, 1] },
        data: overlaps.map(({ fromMs, toMs }) => [place(fromMs), place(toMs)]),
      },
      {
        type: 'custom',
        renderItem: beam,
        encode: { x: [0, 1], y: 2 },
        data: beliefs.map(({ who, fromMs, toMs }) => [place(fromMs), place(toMs), rowOf(who)]),
      },
      {
        type: 'scatter',
        symbolSize: 7,
        itemStyle: { color: INK },
        data: happenings.map(({ who }, index) => [index, rowOf(who)]),
      },
    ],
  }))
}

/** Where on the axis a time is: at the last thing that had happened by then. */
function placesOf(happenings: FoundScene['happenings']): (ms: number) => number {
  return (ms) => {
    const after = happenings.findIndex(({ atMs }) => atMs >= ms)
    return after === -1 ? happenings.length : after
  }
}

function timeAt(happenings: FoundScene['happenings'], index: number): string {
  const happening = happenings[index]
  return happening === undefined ? '' : `${Math.round(happening.atMs)} ms`
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
