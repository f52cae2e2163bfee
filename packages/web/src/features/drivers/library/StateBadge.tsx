import { IconArrowUp, IconCheck, IconDownload, IconPencil } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import type { LibraryRow } from './queries.ts'

/** Whether a bundled driver is installed, and whether a newer version is available. */
export function StateBadge({ state, modified = false }: { state: LibraryRow['state']; modified?: boolean }) {
  const { t } = useTranslation()
  const { tone, icon } = looks[state]
  const change = <StatusBadge tone="warning" icon={IconPencil} label={t('drivers.modified')} />
  // A changed driver is not the delivered one, even if the platform has no newer.
  if (modified && state === 'current') return change
  return (
    <>
      <StatusBadge tone={tone} icon={icon} label={t(`drivers.library.state.${state}`)} />
      {modified ? change : null}
    </>
  )
}

const looks = {
  available: { tone: 'unknown', icon: IconDownload },
  updatable: { tone: 'warning', icon: IconArrowUp },
  current: { tone: 'ok', icon: IconCheck },
} as const
