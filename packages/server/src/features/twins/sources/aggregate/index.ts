import type { SettingsOf } from '@leitstand/contract/states'
import { invalid, nothing, type SourceKind } from '../types.ts'

export const aggregate: SourceKind<SettingsOf<'aggregate'>> = {
  isAggregate: true,
  isSettable: false,
  withStates: ({ stateIds, ...settings }, stateIdOf) => ({
    ...settings,
    ...(stateIds === undefined ? {} : { stateIds: stateIds.map(stateIdOf) }),
  }),
  check({ stateIds = [], query, method, stale }) {
    const rest = stale === undefined ? {} : { stale }
    if (query !== undefined) {
      if (method === undefined) throw invalid('sourceSettings.method', 'An aggregate by query needs a method')
      return { ...nothing, settings: { query, method, ...rest }, query }
    }
    const sourceIds = [...new Set(stateIds)]
    if (sourceIds.length === 0)
      throw invalid('sourceSettings.stateIds', 'An aggregate needs at least one state')
    if (method === undefined && sourceIds.length > 1) {
      throw invalid('sourceSettings.method', 'An aggregate of several states needs a method')
    }
    return { ...nothing, settings: { stateIds: sourceIds, method: method ?? 'latest', ...rest }, sourceIds }
  },
}
