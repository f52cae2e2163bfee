import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { DeviceProps } from '../devices/index.ts'

export const healthTab: PageTab<DeviceProps> = {
  key: 'health',
  label: 'devices.tab.health',
  before: 'routing',
  Content: onDemand(() => import('./HealthTab.tsx')),
}
