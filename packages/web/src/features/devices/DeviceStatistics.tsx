import { Skeleton, Text, UnstyledButton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { many, useUrlSearch } from '../../lib/url.ts'
import { HealthCounts } from '../../ui/display/HealthCounts.tsx'
import { useDelayed } from '../../ui/feedback/Loading.tsx'
import classes from './devices.module.css'

const refreshMs = 30_000

/** Counts by health above the list; a click filters by that health, a second click clears it. */
export function DeviceStatistics() {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const late = useDelayed()
  const accountIds = many(search, 'account').map(Number).filter(Number.isInteger)
  const { data } = useQuery(
    api.virtualdevice.statistics.queryOptions({
      input: accountIds.length > 0 ? { account_ids: accountIds } : {},
      refetchInterval: refreshMs,
      placeholderData: keepPreviousData,
    }),
  )
  if (!data)
    return late ? <Skeleton height={54} mb={16} /> : <div className={classes.statisticsLoading} aria-hidden />
  if (data.total === 0) return null
  const chosen = many(search, 'health')
  const toggle = (code: string) =>
    update({
      health: chosen.includes(code) ? chosen.filter((each) => each !== code) : [...chosen, code],
      page: undefined,
    })
  return (
    <div className={classes.statistics}>
      <HealthCounts
        label={t('devices.statistics.label')}
        counts={data.byHealth}
        kept={chosen}
        tile={(health, tile) => (
          <UnstyledButton
            key={health}
            {...tile}
            aria-pressed={chosen.includes(String(health))}
            onClick={() => toggle(String(health))}
          />
        )}
      >
        {data.neverSeen > 0 ? (
          <Text size="sm" c="dimmed" className={classes.statRest ?? ''}>
            {t('devices.statistics.neverSeen', {
              count: data.neverSeen,
              shown: formatNumber(data.neverSeen, 0),
            })}
          </Text>
        ) : null}
      </HealthCounts>
    </div>
  )
}
