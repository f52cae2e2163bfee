import { IconEdit } from '@tabler/icons-react'
import { onDemand } from '../../lib/onDemand.ts'
import type { DeviceWizard, SelectionAction } from '../devices/index.ts'
import type { TwinSelectionAction } from '../twins/index.ts'

export const bulkEdit: SelectionAction = {
  label: 'bulk.open',
  labelAll: 'bulk.openAll',
  icon: IconEdit,
  as: 'page',
  Content: onDemand(() => import('./BulkEdit.tsx')),
}

export const importWizard: DeviceWizard = {
  param: 'import',
  Content: onDemand(() => import('./ImportDevices.tsx')),
}

export const bulkEditTwins: TwinSelectionAction = {
  label: 'bulk.open',
  labelAll: 'bulk.openAll',
  icon: IconEdit,
  Content: onDemand(() => import('./twins/BulkEditTwins.tsx')),
}

export const UndoEdit = onDemand(() => import('./twins/UndoEdit.tsx'))
