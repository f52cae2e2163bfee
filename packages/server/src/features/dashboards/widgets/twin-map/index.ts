import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
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
    return { map: await readMap(db, selection, scopes, options.stateKey ?? null, mapPointsMax) }
  },
  follows({ twinMapOptions: options }, place) {
    if (options.stateKey === undefined) return []
    return [{ selection: toSelection(options, place), keys: [options.stateKey] }]
  },
}
