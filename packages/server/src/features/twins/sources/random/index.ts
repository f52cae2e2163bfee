import type { SettingsOf } from '@leitstand/contract/states'
import { invalid, nothing, type SourceKind } from '../types.ts'

const defaultSeconds = 60

export const random: SourceKind<SettingsOf<'random'>> = {
  isAggregate: false,
  isSettable: false,
  check({ min, max, everySeconds = defaultSeconds }, { valueType }) {
    if (valueType !== 'number') throw invalid('valueType', 'Random values are numbers')
    if (min === undefined) throw invalid('sourceSettings.min', 'A random source needs a minimum')
    if (max === undefined) throw invalid('sourceSettings.max', 'A random source needs a maximum')
    if (min >= max) throw invalid('sourceSettings.max', 'The maximum must be above the minimum')
    return { ...nothing, settings: { min, max, everySeconds } }
  },
}
