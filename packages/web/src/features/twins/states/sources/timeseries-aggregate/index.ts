import { isTooLong, periodLimits } from '@leitstand/contract/states/periods'
import type { StateForm } from '../../form.ts'
import type { ConsoleSource, Faults } from '../types.ts'

export const timeseriesAggregate: ConsoleSource<'timeseries-aggregate'> = {
  offered: { virtualDevice: 4, digitalTwin: 3 },
  fields: 'timeseries',
  settings({ stateIds, operation, aligned, ...form }) {
    const period = periodOf(form)
    return {
      stateIds: stateIds.slice(0, 1),
      operation,
      ...(operation === 'valueDifference' || period === undefined ? {} : { period, aligned }),
    }
  },
  faults({ stateIds, operation, valueType, ...form }) {
    const faults: Faults = {}
    if (stateIds.length === 0) faults.stateIds = 'stateIds'
    if (operation !== 'latest' && valueType !== 'number') faults.valueType = 'timeseriesNumber'
    if (operation === 'valueDifference') return faults
    const period = periodOf(form)
    if (period === undefined) faults.periodCount = 'required'
    else if (isTooLong(period)) faults.periodCount = 'periodTooLong'
    return faults
  },
}

function periodOf({
  period,
  periodCount,
  periodUnit,
}: Pick<StateForm, 'period' | 'periodCount' | 'periodUnit'>) {
  if (period !== 'own') return { range: period }
  if (periodCount === '' || periodCount < 1 || periodCount > periodLimits.countMax) return undefined
  return { count: periodCount, unit: periodUnit }
}
