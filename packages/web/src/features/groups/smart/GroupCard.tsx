import type { SmartGroup } from '@leitstand/contract/smartGroups'
import { Skeleton, Text, VisuallyHidden } from '@mantine/core'
import { IconStarFilled } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format.ts'
import { HealthBadge } from '../../../ui/display/Badges.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { FilterWords } from './FilterWords.tsx'
import { deviceCounts } from './queries.ts'
import classes from './smart.module.css'

const warning = 1
const error = 2

/** A smart group at a glance. Its counts are read on their own, so that a slow group delays no other. */
export function GroupCard({ group }: { group: SmartGroup }) {
  const { t } = useTranslation()
  const favorites = useQuery(api.favorite.list.queryOptions())
  const isFavorite = favorites.data?.items.some(
    ({ type, objectId }) => type === 'smartGroup' && objectId === group.id,
  )
  return (
    <span className={classes.groupCard}>
      <span className={classes.groupHead}>
        <span className={classes.groupTitle}>{group.title}</span>
        {isFavorite ? (
          <span className={classes.star}>
            <Icon of={IconStarFilled} size={14} />
            <VisuallyHidden>{t('smartGroups.favorite')}</VisuallyHidden>
          </span>
        ) : null}
      </span>
      <Text span size="xs" c="dimmed">
        {group.accountName}
      </Text>
      <Counts id={group.id} />
      <span className={classes.groupFilter}>
        <FilterWords filter={group.filter} />
      </span>
    </span>
  )
}

function Counts({ id }: { id: number }) {
  const { t } = useTranslation()
  const counts = useQuery(deviceCounts(id))
  if (counts.isError && !counts.data)
    return (
      <Text span size="sm" c="dimmed">
        {t('smartGroups.countsFailed')}
      </Text>
    )
  if (!counts.data) return <Skeleton height={24} />
  const { devices, byHealth } = counts.data
  const countOf = (health: number) => byHealth.find((each) => each.health === health)?.count ?? 0
  return (
    <span className={classes.groupCounts}>
      <span>
        <strong className="tabular">{formatNumber(devices, 0)}</strong>{' '}
        {t('smartGroups.devices', { count: devices })}
      </span>
      {[error, warning].map((health) =>
        countOf(health) > 0 ? (
          <span key={health} className={classes.groupCount}>
            <strong className="tabular">{formatNumber(countOf(health), 0)}</strong>
            <HealthBadge health={health} />
          </span>
        ) : null,
      )}
    </span>
  )
}
