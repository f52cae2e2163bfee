import type { SettingsOf } from '@leitstand/contract/states'
import { invalid, nothing, type SourceKind } from '../types.ts'

/** Its values come from `features/devices/figures`. */
export const system: SourceKind<SettingsOf<'system'>> = {
  isAggregate: false,
  isSettable: false,
  check({ figure }, { category, valueType }) {
    if (category !== 'digitalTwin') throw invalid('source', 'Only twins can have figures of the platform')
    if (figure === undefined) throw invalid('sourceSettings.figure', 'A figure is needed')
    const expected = figure === 'lastSeen' ? 'text' : 'number'
    if (valueType !== expected) throw invalid('valueType', `This figure is a ${expected}`)
    return {
      ...nothing,
      settings: { figure },
      isFor: figure === 'freeDisk' ? 'administrators' : 'deviceReaders',
    }
  },
}
