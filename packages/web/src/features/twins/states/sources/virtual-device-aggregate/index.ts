import { aggregate } from '../aggregate/index.ts'
import { aggregateSettings } from '../aggregate/settings.ts'
import type { ConsoleSource } from '../types.ts'

export const virtualDeviceAggregate: ConsoleSource<'virtual-device-aggregate'> = {
  ...aggregate,
  offered: { digitalTwin: 1 },
  of: 'virtualDevice',
  settings: (form) => aggregateSettings(form, 'virtualDevice'),
}
