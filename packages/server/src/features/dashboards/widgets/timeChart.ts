import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { namedStates, showsStates, withTitles } from './states.ts'
import type { Widget } from './types.ts'

/** A kind that draws time series. */
export const timeChart: Widget<WidgetOf<'line' | 'bar'>> = {
  check: () => [],
  uses: ({ chartOptions }) => showsStates(chartOptions.stateIds),
  async read({ chartOptions }, { caller, range, timeZone }, { db, series }) {
    const { states, error } = await namedStates(db, chartOptions.stateIds, caller)
    const { method, duration } = chartOptions
    const chart = await series.chart(
      states.map(({ id }) => id),
      range,
      { method, duration, timeZone },
    )
    return { ...chart, series: withTitles(states, chart.series), error }
  },
  follows: () => [],
}
