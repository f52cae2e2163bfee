import { lazy } from 'react'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { DeviceProps } from '../devices/index.ts'

export const diagnosisTab: PageTab<DeviceProps> = {
  key: 'diagnosis',
  label: 'devices.tab.diagnosis',
  before: 'dependencies',
  Content: lazy(() => import('./diagnosis/DiagnosisTab.tsx')),
}
