import { IconArrowUp, IconCheck, IconDownload } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import type { LibraryRow } from './queries.ts'

/** Whether a bundled driver is installed, and whether a newer version is available. */
export function StateBadge({ state }: { state: LibraryRow['state'] }) {
  const { t } = useTranslation()
  const { tone, icon } = looks[state]
  return <StatusBadge tone={tone} icon={icon} label={t(`drivers.library.state.${state}`)} />
}

const looks = {
  available: { tone: 'unknown', icon: IconDownload },
  updatable: { tone: 'warning', icon: IconArrowUp },
  current: { tone: 'ok', icon: IconCheck },
} as const
