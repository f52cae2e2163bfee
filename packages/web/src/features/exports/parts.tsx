import type { ExportSelection } from '@leitstand/contract/exports'
import { IconFileExport } from '@tabler/icons-react'
import { onDemand } from '../../lib/onDemand.ts'
import type { DeviceAction, SelectionAction } from '../devices/index.ts'
import type { GroupAction } from '../groups/index.ts'
import type { TwinAction, TwinSelectionAction } from '../twins/index.ts'

const ExportDialog = onDemand(() => import('./ExportDialog.tsx'))

export const JobFile = onDemand(() => import('./JobFile.tsx'))
export const SavedExports = onDemand(() => import('./SavedExports.tsx'))

export const exportDevice: DeviceAction = {
  label: 'exports.open',
  icon: IconFileExport,
  isShown: () => true,
  forReaders: true,
  Dialog: ({ device: { id, title }, onClose }) => (
    <ExportDialog
      title={title}
      selection={{ of: 'virtualDevices', filter: {}, ids: [id] }}
      onClose={onClose}
    />
  ),
}

export const exportTwin: TwinAction = {
  label: 'exports.openTwin',
  icon: IconFileExport,
  needs: { subject: 'DigitalTwin', action: 'read' },
  Dialog: ({ twin: { id, title }, onClose }) => (
    <ExportDialog
      title={title}
      selection={{ of: 'digitalTwins', filter: {}, within: id }}
      onClose={onClose}
    />
  ),
}

export const exportGroup: GroupAction = {
  label: 'exports.open',
  icon: IconFileExport,
  Dialog: ({ group: { id, title }, onClose }) => (
    <ExportDialog title={title} selection={{ of: 'smartGroup', groupId: id }} onClose={onClose} />
  ),
}

export const exportSelected: SelectionAction = {
  label: 'exports.open',
  labelAll: 'exports.openAll',
  icon: IconFileExport,
  as: 'dialog',
  Content: ({ selection, onClose }) => (
    <ExportDialog title="" selection={devicesOf(selection)} onClose={onClose} />
  ),
}

export const exportTwins: TwinSelectionAction = {
  label: 'exports.open',
  labelAll: 'exports.openAll',
  icon: IconFileExport,
  Content: ({ selection, onClose }) => (
    <ExportDialog title="" selection={twinsOf(selection)} onClose={onClose} />
  ),
}

type Devices = Extract<ExportSelection, { of: 'virtualDevices' }>
type Twins = Extract<ExportSelection, { of: 'digitalTwins' }>

const devicesOf = (chosen: { ids: number[] } | { filter: Devices['filter'] }): ExportSelection => ({
  of: 'virtualDevices',
  filter: {},
  ...chosen,
})

const twinsOf = (chosen: { ids: number[] } | { filter: Twins['filter'] }): ExportSelection => ({
  of: 'digitalTwins',
  filter: {},
  ...chosen,
})
