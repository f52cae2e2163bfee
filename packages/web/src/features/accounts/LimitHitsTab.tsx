import { SegmentedControl, Stack, Text } from '@mantine/core'
import { IconGauge } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './accounts.module.css'
import type { Account, LimitHit } from './queries.ts'

const hourMs = 3_600_000
/** Look-back periods, in hours. */
const ranges = ['24', '168', '720'] as const
type Range = (typeof ranges)[number]
const refreshMs = 60_000

/** Limits that throttled or rejected something for the account, with explanation and remedy. */
export function LimitHitsTab({ account }: { account: Account }) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState(() => rangeFrom('168'))
  const found = useQuery({
    ...api.tenant.limitHits.queryOptions({ input: { id: account.id, from: chosen.from } }),
    refetchInterval: refreshMs,
  })
  return (
    <Stack gap="md">
      <Section
        title={t('limitHits.title')}
        description={t('limitHits.text')}
        actions={
          <SegmentedControl
            aria-label={t('limitHits.range')}
            data={ranges.map((value) => ({ value, label: t(`limitHits.ranges.${value}`) }))}
            value={chosen.range}
            onChange={(range) => setChosen(rangeFrom(range))}
          />
        }
      >
        {found.isLoadingError ? (
          <ErrorState error={found.error} compact onRetry={() => void found.refetch()} />
        ) : null}
        {found.isPending ? <Loading lines={4} /> : null}
        {found.data?.items.length === 0 ? (
          <EmptyState
            icon={IconGauge}
            title={t('limitHits.none')}
            text={t('limitHits.noneText')}
            order={3}
            compact
          />
        ) : null}
        {found.data && found.data.items.length > 0 ? (
          <ul className={classes.hits}>
            {found.data.items.map((hit) => (
              <Hit key={hit.limit} hit={hit} />
            ))}
          </ul>
        ) : null}
      </Section>
    </Stack>
  )
}

function rangeFrom(range: Range) {
  return { range, from: new Date(Date.now() - Number(range) * hourMs).toISOString() }
}

function Hit({ hit }: { hit: LimitHit }) {
  const { t } = useTranslation()
  const { limit, times, lastAt, detail, days } = hit
  return (
    <li className={classes.hit}>
      <div>
        <h3 className={classes.hitTitle}>{t(`limitHits.limit.${limit}.title`)}</h3>
        <Text size="sm">{t(`limitHits.limit.${limit}.means`)}</Text>
        <Text size="sm" c="dimmed">
          {t(`limitHits.limit.${limit}.todo`)}
        </Text>
      </div>
      <div className={classes.hitFacts}>
        <Fact label={t('limitHits.times')}>
          <span className="tabular">{formatNumber(times, 0)}</span>
          <div className={classes.hint}>{t('limitHits.days', { count: days.length })}</div>
        </Fact>
        <Fact label={t('limitHits.last')}>
          <RelativeTime time={lastAt} />
        </Fact>
        {detail === '' ? null : <Fact label={t(`limitHits.limit.${limit}.detail`)}>{detail}</Fact>}
      </div>
    </li>
  )
}
