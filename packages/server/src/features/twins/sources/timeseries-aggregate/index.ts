import type { SettingsOf } from '@leitstand/contract/states'
import { isTooLong } from '@leitstand/contract/states/periods'
import { invalid, nothing, type SourceKind } from '../types.ts'

export const timeseriesAggregate: SourceKind<SettingsOf<'timeseries-aggregate'>> = {
  isAggregate: true,
  isSettable: false,
  withStates: ({ stateIds, ...settings }, stateIdOf) => ({
    ...settings,
    ...(stateIds === undefined ? {} : { stateIds: stateIds.map(stateIdOf) }),
  }),
  check({ stateIds = [], operation, period, aligned = false }, { valueType }) {
    const [sourceId] = stateIds
    if (sourceId === undefined) throw invalid('sourceSettings.stateIds', 'A time series needs a state')
    if (operation === undefined) throw invalid('sourceSettings.operation', 'An operation is needed')
    if (operation !== 'latest' && valueType !== 'number')
      throw invalid('valueType', 'Only the latest value of a time series can be anything but a number')
    const sourceIds = [sourceId]
    if (operation === 'valueDifference')
      return { ...nothing, settings: { stateIds: sourceIds, operation }, sourceIds }
    if (period === undefined) throw invalid('sourceSettings.period', 'A period is needed')
    if (isTooLong(period)) throw invalid('sourceSettings.period', 'A period can be two years long at most')
    return { ...nothing, settings: { stateIds: sourceIds, operation, period, aligned }, sourceIds }
  },
}
