import { Pagination } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format.ts'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { refreshMs } from './queries.ts'

const pageSize = 10

/** The devices below the threshold, those with the smallest share first. */
export function LowDevices({ groupId }: { groupId: number }) {
  const { t } = useTranslation()
  const [page, setPage] = useState(1)
  const lows = useQuery(
    api.smartGroup.lowDevices.queryOptions({
      input: { id: groupId, offset: (page - 1) * pageSize, limit: pageSize },
      placeholderData: keepPreviousData,
      refetchInterval: refreshMs,
    }),
  )
  return (
    <Section title={t('smartGroups.low')} description={t('smartGroups.lowText')}>
      {lows.isError && !lows.data ? (
        <ErrorState error={lows.error} onRetry={() => void lows.refetch()} compact />
      ) : !lows.data ? (
        <Loading lines={3} />
      ) : lows.data.total === 0 ? (
        <EmptyState
          icon={IconCircleCheck}
          title={t('smartGroups.noLow')}
          text={t('smartGroups.noLowText')}
          order={3}
          compact
        />
      ) : (
        <>
          <SimpleTable
            label={t('smartGroups.low')}
            rows={lows.data.items}
            rowKey={({ id }) => id}
            columns={[
              {
                key: 'title',
                title: t('devices.field.title'),
                render: ({ id, title }) => <RouterLink to={`/virtual-devices/${id}`}>{title}</RouterLink>,
              },
              {
                key: 'externalId',
                title: t('devices.field.externalId'),
                render: ({ externalId }) => externalId,
              },
              {
                key: 'received',
                title: t('smartGroups.receivedOfExpected'),
                align: 'right',
                render: ({ received, expected }) => (
                  <span className="tabular">
                    {formatNumber(received, 0)} / {formatNumber(expected, expected < 10 ? 1 : 0)}
                  </span>
                ),
              },
              {
                key: 'since',
                title: t('smartGroups.lowSince'),
                render: ({ since }) => <RelativeTime time={since} />,
              },
            ]}
          />
          {lows.data.total > pageSize ? (
            <Pagination
              mt="sm"
              total={Math.ceil(lows.data.total / pageSize)}
              value={page}
              onChange={setPage}
              getControlProps={(control) => ({ 'aria-label': t(`list.paging.${control}`) })}
            />
          ) : null}
        </>
      )}
    </Section>
  )
}
