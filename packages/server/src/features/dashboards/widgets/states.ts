import type { WidgetData } from '@leitstand/contract/dashboards'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { Use } from '../../../platform/uses.ts'
import { titledFor } from '../../drivers/index.ts'
import { visibleScopes } from '../../series/index.ts'
import { readStates, type WidgetState } from '../store/data.ts'

export function showsStates(stateIds: readonly number[]): Use[] {
  return stateIds.map((id) => ({ kind: 'state', id, note: 'shows' }))
}

/**
 * The states that a widget refers to. Deleted ones are left out and reported along with the data of the
 * others.
 * @throws AppError NO_PERMISSION when the caller may not see one of them
 */
export async function namedStates(
  db: Executor,
  ids: readonly number[],
  caller: Caller,
): Promise<{ states: WidgetState[]; error: WidgetData['error'] }> {
  const wanted = [...new Set(ids)]
  const states = await readStates(db, wanted, visibleScopes(caller))
  const hidden = states.filter(({ visible }) => !visible).length
  if (hidden > 0) throw new AppError('NO_PERMISSION', undefined, `${hidden} of the states may not be seen`)
  const gone = wanted.length - states.length
  const error =
    gone === 0 ? null : { code: 'DTWIN_STATE_NOT_FOUND', message: `${gone} of the states no longer exist` }
  return { states: states.map((state) => titledFor(caller, state)), error }
}

/** Series with the titles of their states, which are in the language of the reader. */
export function withTitles<S extends { stateId: number; title: string }>(
  states: readonly WidgetState[],
  series: readonly S[],
): S[] {
  const titles = new Map(states.map(({ id, title }) => [id, title]))
  return series.map((each) => ({ ...each, title: titles.get(each.stateId) ?? each.title }))
}

export interface TileValue {
  value: NonNullable<WidgetData['values']>[number]['value']
  time: Date | null
}

export function toTile(
  state: WidgetState,
  value: TileValue | undefined,
): NonNullable<WidgetData['values']>[number] {
  return {
    stateId: state.id,
    twinId: state.twinId,
    title: state.title,
    twinTitle: state.twinTitle,
    category: state.category,
    unit: state.unit,
    decimals: state.decimals,
    value: value?.value ?? null,
    time: value?.time?.toISOString() ?? null,
  }
}
