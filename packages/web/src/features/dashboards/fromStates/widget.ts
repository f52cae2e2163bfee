import type { WidgetDefinition } from '@leitstand/contract/dashboards'
import type { WidgetKind } from '@leitstand/contract/dashboards/kinds'
import type { OverviewState } from '@leitstand/contract/overview'
import { newWidget } from '../widgets/index.ts'

/** The kinds of widgets that chosen states can be shown in. */
export const shownAs = ['value', 'line', 'twin-table'] as const satisfies readonly WidgetKind[]
export type ShownAs = (typeof shownAs)[number]

type Shown = Pick<OverviewState, 'id' | 'key' | 'twinId' | 'valueType'>

/** As in the contract, without loading its schemas. */
const statesMax = { value: 24, line: 20 } as const
const tableMax = { twins: 100, keys: 20 } as const

/** Why states cannot be shown in a kind of widget, as a key below `dashboards.fromStates`; null if they can. */
export function faultOf(kind: ShownAs, states: readonly Shown[]): { key: string; count: number } | null {
  if (kind === 'twin-table') {
    const { twins, keys } = tableParts(states)
    if (twins.length > tableMax.twins) return { key: 'tooManyTwins', count: tableMax.twins }
    return keys.length > tableMax.keys ? { key: 'tooManyKeys', count: tableMax.keys } : null
  }
  const count = states.filter(({ valueType }) => !isDrawn(valueType)).length
  if (kind === 'line' && count > 0) return { key: 'notDrawn', count }
  return states.length > statesMax[kind] ? { key: 'tooMany', count: statesMax[kind] } : null
}

const isDrawn = (valueType: Shown['valueType']) => valueType === 'number' || valueType === 'boolean'

/** A table shows the chosen keys of all chosen twins. */
function tableParts(states: readonly Shown[]) {
  return {
    twins: [...new Set(states.map(({ twinId }) => twinId))],
    keys: [...new Set(states.map(({ key }) => key))],
  }
}

/** The widget that shows the states. */
export function widgetWith(kind: ShownAs, states: readonly Shown[], title: string): WidgetDefinition {
  const widget = newWidget(
    kind,
    states.map(({ id }) => id),
  )
  if (widget.type !== 'twin-table') return { ...widget, title }
  const { twins, keys } = tableParts(states)
  const options = {
    ...widget.twinTableOptions,
    twinIds: twins,
    stateKeys: keys,
    limit: Math.max(20, twins.length),
  }
  return { ...widget, title, twinTableOptions: options }
}
