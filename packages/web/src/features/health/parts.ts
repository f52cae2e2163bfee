import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { DeviceProps } from '../devices/index.ts'

/** The device that feeds a state of a twin. */
export const StateOrigin = onDemand(() => import('./StateOrigin.tsx'))

export const healthTab: PageTab<DeviceProps> = {
  key: 'health',
  label: 'devices.tab.health',
  before: 'routing',
  Content: onDemand(() => import('./HealthTab.tsx')),
}
