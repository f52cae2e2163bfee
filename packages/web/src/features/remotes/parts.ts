import { IconRefresh } from '@tabler/icons-react'
import { onDemand } from '../../lib/onDemand.ts'
import type { DeviceAction } from '../devices/index.ts'

export const synchronize: DeviceAction = {
  label: 'devices.sync.open',
  icon: IconRefresh,
  isShown: ({ remote }) => remote !== 'none',
  Dialog: onDemand(() => import('./SyncDialog.tsx')),
}
