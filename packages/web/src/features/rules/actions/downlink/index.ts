import type { DownlinkAction } from '@leitstand/contract/rules/actions/downlink'
import { IconBroadcast } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { ActionFault, ActionKind } from '../types.ts'

export const downlink: ActionKind<DownlinkAction, DownlinkAction, DownlinkAction> = {
  icon: IconBroadcast,
  isTestable: true,
  max: 20,
  create: () => ({
    kind: 'downlink',
    deviceId: null,
    content: { from: 'predefined', name: '', values: {} },
    validMinutes: 60,
  }),
  toDraft: (action) => action,
  fromDraft: (draft) => draft,
  faults({ content }, { metrics }) {
    if (content.from === 'script')
      return content.script.trim() === '' ? [{ field: 'content', key: 'required' }] : []
    const faults: ActionFault[] = []
    if (content.name.trim() === '') faults.push({ field: 'content', key: 'required' })
    for (const value of Object.values(content.values))
      if ('metric' in value && !metrics.some(({ alias }) => alias === value.metric))
        faults.push({ field: 'content', key: 'unknownMetric', name: value.metric })
    return faults
  },
  toTemplate: (action) => action,
  fromTemplate: (action) => action,
  stateKeys: () => [],
  Form: onDemand(() => import('./DownlinkForm.tsx')),
}
