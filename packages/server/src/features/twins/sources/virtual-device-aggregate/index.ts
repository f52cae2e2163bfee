import type { SettingsOf } from '@leitstand/contract/states'
import { aggregate } from '../aggregate/index.ts'
import type { SourceKind } from '../types.ts'

export const virtualDeviceAggregate: SourceKind<SettingsOf<'virtual-device-aggregate'>> = aggregate
