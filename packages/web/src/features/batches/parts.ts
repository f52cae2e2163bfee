import { IconEdit } from '@tabler/icons-react'
import { lazy } from 'react'
import type { DeviceWizard, SelectionAction } from '../devices/index.ts'

export const bulkEdit: SelectionAction = {
  label: 'bulk.open',
  labelAll: 'bulk.openAll',
  icon: IconEdit,
  as: 'page',
  Content: lazy(() => import('./BulkEdit.tsx')),
}

export const importWizard: DeviceWizard = {
  param: 'import',
  Content: lazy(() => import('./ImportDevices.tsx')),
}
