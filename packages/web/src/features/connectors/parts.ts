import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { DeviceProps } from '../devices/index.ts'

export const diagnosisTab: PageTab<DeviceProps> = {
  key: 'diagnosis',
  label: 'devices.tab.diagnosis',
  before: 'dependencies',
  Content: onDemand(() => import('./diagnosis/DiagnosisTab.tsx')),
}
