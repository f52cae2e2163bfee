import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { titleFor } from '../../../drivers/index.ts'
import { readMap } from '../../store/data.ts'
import { selectionScopes, toSelection, usesOfSelection } from '../selection.ts'
import type { Widget } from '../types.ts'

/** Maximum twins on one map. */
const mapPointsMax = 1_000

export const twinMap: Widget<WidgetOf<'twin-map'>> = {
  check: () => [],
  uses: ({ twinMapOptions }) => usesOfSelection(twinMapOptions),
  async read({ twinMapOptions: options }, { caller, board }, { db }) {
    const selection = toSelection(options, board)
    const scopes = await selectionScopes(db, selection, caller)
    const key = options.stateKey ?? null
    const map = await readMap(db, selection, scopes, key, mapPointsMax)
    if (key === null) return { map }
    const points = map.points.map(({ state, ...point }) => ({
      ...point,
      state: state && { ...state, title: titleFor(caller, { key, title: state.title }) },
    }))
    return { map: { ...map, points } }
  },
  follows({ twinMapOptions: options }, place) {
    if (options.stateKey === undefined) return []
    return [{ selection: toSelection(options, place), keys: [options.stateKey] }]
  },
}
