import { IconRefresh } from '@tabler/icons-react'
import { lazy } from 'react'
import type { DeviceAction } from '../devices/index.ts'

export const synchronize: DeviceAction = {
  label: 'devices.sync.open',
  icon: IconRefresh,
  isShown: ({ remote }) => remote !== 'none',
  Dialog: lazy(() => import('./SyncDialog.tsx')),
}
