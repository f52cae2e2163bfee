import { IconRestore } from '@tabler/icons-react'
import { useState } from 'react'
import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { ConnectorProps } from '../connectors/index.ts'
import type { DeviceProps, SelectionAction } from '../devices/index.ts'
import type { Driver } from '../drivers/index.ts'
import { DecodeAgain } from './DecodeAgain.tsx'
import type { DecodeTarget } from './selection.ts'

const DecodeDialog = onDemand(() => import('./DecodeDialog.tsx'))

export const DecodeOfDriver = ({ driver: { id, title } }: { driver: Driver }) => (
  <DecodeAgain target={{ kind: 'driver', id, title, driverId: id }} />
)

export const DecodeOfDevice = ({ device: { id, title, driverId } }: DeviceProps) => (
  <DecodeAgain target={{ kind: 'device', id, title, driverId }} />
)

export const decodeSelected: SelectionAction = {
  label: 'decoding.open',
  icon: IconRestore,
  as: 'dialog',
  Content: function DecodeSelected({ selection, onClose }) {
    const ids = 'ids' in selection ? selection.ids : []
    const [target, setTarget] = useState<DecodeTarget | undefined>({
      kind: 'devices',
      ids,
      title: '',
      driverId: null,
    })
    return <DecodeDialog target={target} onClose={() => setTarget(undefined)} onClosed={onClose} />
  },
}

export const deadLettersTab: PageTab<ConnectorProps> = {
  key: 'dead',
  label: 'connectors.tab.dead',
  before: 'uses',
  Content: onDemand(() => import('./DeadLettersTab.tsx')),
}
