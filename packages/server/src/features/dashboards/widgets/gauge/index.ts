import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { readEnd } from '../../store/data.ts'
import { namedStates, showsStates, type TileValue, toTile } from '../states.ts'
import type { DataRequest, Issue, ReadTools, Widget } from '../types.ts'

type Gauge = WidgetOf<'gauge'>

export const gauge: Widget<Gauge> = {
  /** Thresholds must be strictly between the limits. */
  check({ chartOptions: { min, max, lowerThreshold, upperThreshold } }) {
    const issues: Issue[] = []
    const add = (field: string, message: string) => issues.push({ path: ['chartOptions', field], message })
    if (min !== undefined && max !== undefined && min >= max) add('max', 'must be above min')
    for (const [field, value] of Object.entries({ lowerThreshold, upperThreshold })) {
      if (value === undefined) continue
      if (min !== undefined && value <= min) add(field, 'must be above min')
      if (max !== undefined && value >= max) add(field, 'must be below max')
    }
    if (lowerThreshold !== undefined && upperThreshold !== undefined && lowerThreshold >= upperThreshold) {
      add('upperThreshold', 'must be above the lower threshold')
    }
    return issues
  },
  uses: ({ chartOptions }) => showsStates(chartOptions.stateIds),
  async read({ chartOptions: { stateIds, gaugeValue } }, { caller, range }, tools) {
    const { states, error } = await namedStates(tools.db, stateIds, caller)
    const ids = states.map(({ id }) => id)
    const values = await readValues(tools, ids, range, gaugeValue)
    return { values: states.map((state) => toTile(state, values.get(state.id))), error }
  },
  follows: () => [],
}

/** One value per state for a range: its earliest or latest value, or a number computed from all of them. */
async function readValues(
  { db, series }: ReadTools,
  stateIds: readonly number[],
  range: DataRequest['range'],
  which: Gauge['chartOptions']['gaugeValue'],
): Promise<Map<number, TileValue>> {
  if (which === 'earliest' || which === 'latest') return readEnd(db, stateIds, range, which)
  const totals = await series.totals(stateIds, range)
  const name = which === 'average' ? 'avg' : which
  return new Map([...totals].map(([id, each]) => [id, { value: each[name], time: each.lastTime }]))
}
