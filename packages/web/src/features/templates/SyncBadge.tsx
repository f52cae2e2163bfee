import {
  IconCircleCheck,
  IconCircleDashed,
  IconEdit,
  IconHelpCircle,
  IconPencil,
  IconRefresh,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { StatusBadge, type Tone } from '../../ui/display/Badges.tsx'
import type { IconType } from '../../ui/display/Icon.tsx'
import type { LinkedDevice, TemplateRow } from './queries.ts'

type SyncState = TemplateRow['syncState']

const looks: Record<SyncState, { tone: Tone; icon?: IconType }> = {
  synced: { tone: 'ok', icon: IconCircleCheck },
  failed: { tone: 'error' },
  running: { tone: 'accent', icon: IconRefresh },
  unlinked: { tone: 'unknown', icon: IconCircleDashed },
  changed: { tone: 'warning', icon: IconEdit },
  unknown: { tone: 'unknown', icon: IconHelpCircle },
}

/** Whether the linked devices match the template. */
export function SyncBadge({ state }: { state: SyncState }) {
  const { t } = useTranslation()
  return <StatusBadge {...looks[state]} label={t(`templates.sync.${state}`)} />
}

/** Whether devices can be created from it. */
export function StageBadge({ stage }: { stage: TemplateRow['stage'] }) {
  const { t } = useTranslation()
  return (
    <StatusBadge
      tone={stage === 'productive' ? 'ok' : 'unknown'}
      icon={stage === 'productive' ? IconCircleCheck : IconPencil}
      label={t(`templates.stage.${stage}`)}
    />
  )
}

const deviceTones: Record<LinkedDevice['syncState'], Tone> = {
  synced: 'ok',
  failed: 'error',
  behind: 'warning',
}

/** Whether one device matches its template. */
export function DeviceSyncBadge({ state }: { state: LinkedDevice['syncState'] }) {
  const { t } = useTranslation()
  return <StatusBadge tone={deviceTones[state]} label={t(`templates.deviceSync.${state}`)} />
}
