import { IconArrowsExchange, IconCopy, IconFileImport } from '@tabler/icons-react'
import { onDemand } from '../../lib/onDemand.ts'
import type { TwinAction } from '../twins/index.ts'

export const duplicateTwin: TwinAction = {
  label: 'copies.duplicate.open',
  icon: IconCopy,
  Dialog: onDemand(() => import('./DuplicateTwin.tsx')),
}

export const duplicateByFile: TwinAction = {
  label: 'copies.byFile.open',
  icon: IconFileImport,
  Dialog: onDemand(() => import('./byFile/DuplicateByFile.tsx')),
}

export const synchronizeTwin: TwinAction = {
  label: 'copies.sync.open',
  icon: IconArrowsExchange,
  Dialog: onDemand(() => import('./SynchronizeTwin.tsx')),
}
