import type { SettingsOf } from '@leitstand/contract/states'
import { aggregate } from '../aggregate/index.ts'
import type { SourceKind } from '../types.ts'

/** Like an aggregate; a query finds only states of devices. */
export const virtualDeviceAggregate: SourceKind<SettingsOf<'virtual-device-aggregate'>> = {
  ...aggregate,
  check: ({ query, ...settings }, owner) =>
    aggregate.check(
      query === undefined ? settings : { ...settings, query: { ...query, category: 'virtualDevice' } },
      owner,
    ),
}
