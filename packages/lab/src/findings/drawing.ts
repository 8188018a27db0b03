/**
 * Charts and timelines, drawn here and not in the browser: the page needs no script. Text and lines take the colour of
 * the page around them, so one drawing does for light and dark; each is drawn wide and, for a phone, narrow.
 */
import { BarChart, CustomChart, ScatterChart } from 'echarts/charts'
import { GridComponent } from 'echarts/components'
import { type EChartsCoreOption, init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'

use([BarChart, CustomChart, ScatterChart, GridComponent, SVGRenderer])

/** Stands for the colour of the text around; a drawing knows only colours that have a value. */
export const INK = '#010203'
const WIDTHS_PX = { wide: 720, narrow: 340 } as const
export const TEXT: { readonly color: string; readonly fontSize: number; readonly fontFamily: string } = {
  color: INK,
  fontSize: 12,
  fontFamily: 'system-ui, sans-serif',
}

/** @param title for those who cannot see it */
export function drawn(title: string, heightPx: number, optionFor: (widthPx: number) => EChartsCoreOption): string {
  const drawings = Object.entries(WIDTHS_PX).map(([name, widthPx]) => {
    const chart = init(null, null, { renderer: 'svg', ssr: true, width: widthPx, height: heightPx })
    try {
      chart.setOption({ animation: false, textStyle: TEXT, ...optionFor(widthPx) })
      return `<div class="${name}">${chart.renderToSVGString({ useViewBox: true }).replaceAll(INK, 'currentColor')}</div>`
    } finally {
      // Left open it would keep the process from ending.
      chart.dispose()
    }
  })
  return `<div class="drawing" role="img" aria-label="${title.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}">${drawings.join('')}</div>`
}
