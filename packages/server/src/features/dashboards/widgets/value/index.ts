import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { namedStates, showsStates, toTile, withTitles } from '../states.ts'
import type { Widget } from '../types.ts'

/** Maximum points of the sparkline in a tile. */
const sparklinePointsMax = 100

export const value: Widget<WidgetOf<'value'>> = {
  check: () => [],
  uses: ({ valueOptions }) => showsStates(valueOptions.stateIds),
  async read({ valueOptions: { stateIds, sparkline } }, request, { db, series }) {
    const { states, error } = await namedStates(db, stateIds, request.caller)
    const current = await series.current(
      db,
      states.map(({ id }) => id),
    )
    const values = states.map((state) => toTile(state, current.get(state.id)))
    const drawn = states.filter(({ valueType }) => valueType === 'number').map(({ id }) => id)
    if (!sparkline || drawn.length === 0) return { values, error }
    const chart = await series.chart(drawn, request.range, {
      method: 'avg',
      timeZone: request.timeZone,
      pointsMax: sparklinePointsMax,
    })
    return { values, series: withTitles(states, chart.series), error }
  },
  follows: () => [],
}
