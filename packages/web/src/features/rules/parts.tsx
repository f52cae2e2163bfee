import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { DeviceProps } from '../devices/index.ts'
import type { TwinProps } from '../twins/index.ts'

const RulesTab = onDemand(() => import('./RulesTab.tsx'))

export const twinRulesTab: PageTab<TwinProps> = {
  key: 'rules',
  label: 'twins.tabs.rules',
  before: 'data',
  Content: ({ twin }) => <RulesTab objectId={twin.id} accountId={twin.accountId} editable={twin.editable} />,
}

export const deviceRulesTab: PageTab<DeviceProps> = {
  key: 'rules',
  label: 'devices.tab.rules',
  before: 'data',
  isShown: (can) => can('DigitalTwin', 'read'),
  Content: ({ device }) => (
    <RulesTab objectId={device.id} accountId={device.accountId} editable={device.editable} />
  ),
}

/** The browsers of the user, in the profile. */
export const PushSection = onDemand(() => import('./push/PushSection.tsx'))
