import type { Asset } from '@leitstand/contract/assets'
import { Text } from '@mantine/core'
import { IconCircleCheck, IconHelpCircle, IconMapPinExclamation, IconUserShare } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatDate } from '../../lib/format.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { isOverdue, placeTone, todayOf } from './pure.ts'

const icons = {
  home: IconCircleCheck,
  away: IconMapPinExclamation,
  lent: IconUserShare,
  loose: IconHelpCircle,
} as const

/** Whether an asset is where it belongs, or its loan is overdue. */
export function PlaceBadge({ asset }: { asset: Pick<Asset, 'place' | 'loan'> }) {
  const { t } = useTranslation()
  if (isOverdue(asset.loan, todayOf(new Date())))
    return <StatusBadge tone="error" label={t('assets.overdue')} icon={IconUserShare} />
  return (
    <StatusBadge
      tone={placeTone(asset.place)}
      label={t(`assets.places.${asset.place}`)}
      icon={icons[asset.place]}
    />
  )
}

/** The zone an asset is in, and since when. */
export function ZoneNow({ asset }: { asset: Pick<Asset, 'zone' | 'zoneSince' | 'seenAt'> }) {
  const { t } = useTranslation()
  if (asset.seenAt === null)
    return (
      <Text span size="sm" c="dimmed">
        {t('assets.neverSeen')}
      </Text>
    )
  return (
    <span>
      {asset.zone?.title ?? (
        <Text span c="dimmed" inherit>
          {t('assets.noZone')}
        </Text>
      )}{' '}
      {asset.zoneSince === null ? null : (
        <Text span size="sm" c="dimmed">
          <RelativeTime time={asset.zoneSince} />
        </Text>
      )}
    </span>
  )
}

/** Who has an asset, and until when. */
export function LoanText({ loan }: { loan: NonNullable<Asset['loan']> }) {
  const { t } = useTranslation()
  return (
    <span>
      {loan.borrower}{' '}
      {loan.dueAt === null ? null : (
        <Text span size="sm" c={isOverdue(loan, todayOf(new Date())) ? 'var(--health-error)' : 'dimmed'}>
          {t('assets.until', { day: formatDate(loan.dueAt) })}
        </Text>
      )}
    </span>
  )
}
