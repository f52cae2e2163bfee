import { lazy } from 'react'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { DeviceProps } from '../devices/index.ts'

export const healthTab: PageTab<DeviceProps> = {
  key: 'health',
  label: 'devices.tab.health',
  before: 'routing',
  Content: lazy(() => import('./HealthTab.tsx')),
}
