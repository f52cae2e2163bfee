import type { SettingsOf } from '@leitstand/contract/states'
import { aggregate } from '../aggregate/index.ts'
import type { SourceKind } from '../types.ts'

export const timeseriesAggregate: SourceKind<SettingsOf<'timeseries-aggregate'>> = aggregate
