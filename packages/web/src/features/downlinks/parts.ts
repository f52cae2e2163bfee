import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { DeviceProps } from '../devices/index.ts'

export const downlinksTab: PageTab<DeviceProps> = {
  key: 'downlinks',
  label: 'devices.tab.downlinks',
  before: 'routing',
  Content: onDemand(() => import('./DownlinksTab.tsx')),
}
