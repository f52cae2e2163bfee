import { Skeleton, Text, UnstyledButton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { many, useUrlSearch } from '../../lib/url.ts'
import { HealthBadge } from '../../ui/display/Badges.tsx'
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
  if (!data) return late ? <Skeleton height={54} mb={16} /> : <div className={classes.strip} aria-hidden />
  if (data.total === 0) return null
  const chosen = many(search, 'health')
  const counts = new Map(data.byHealth.map(({ health, count }) => [health, count]))
  const toggle = (code: string) =>
    update({
      health: chosen.includes(code) ? chosen.filter((each) => each !== code) : [...chosen, code],
      page: undefined,
    })
  return (
    <section className={classes.strip} aria-label={t('devices.statistics.label')}>
      {[2, 1, 0, 3, 4].map((health) => {
        const count = counts.get(health) ?? 0
        const code = String(health)
        if (count === 0 && health === 4 && !chosen.includes(code)) return null
        return (
          <UnstyledButton
            key={health}
            className={classes.stat ?? ''}
            aria-pressed={chosen.includes(code)}
            data-empty={count === 0 || undefined}
            onClick={() => toggle(code)}
          >
            <span className={classes.statCount}>{formatNumber(count, 0)}</span>
            <HealthBadge health={health} />
          </UnstyledButton>
        )
      })}
      {data.neverSeen > 0 ? (
        <Text size="sm" c="dimmed" className={classes.statRest ?? ''}>
          {t('devices.statistics.neverSeen', {
            count: data.neverSeen,
            shown: formatNumber(data.neverSeen, 0),
          })}
        </Text>
      ) : null}
    </section>
  )
}
