import { Modal, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatDuration, formatNumber } from '../../lib/format.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import classes from './tickets.module.css'

const periods = [30, 90, 365] as const

/** How much was reported and how long it took, of the last days. */
export default function StatisticsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const [days, setDays] = useState<number>(30)
  const query = useQuery(
    api.isFmTicket.statistics.queryOptions({ input: { days }, placeholderData: keepPreviousData }),
  )
  const { data } = query
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('tickets.statistics')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="lg">
        <SegmentedControl
          aria-label={t('tickets.statistics')}
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          data={periods.map((count) => ({ value: String(count), label: t('tickets.last', { count }) }))}
        />
        {query.isError && !data ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
        ) : null}
        {query.isPending ? <Loading lines={5} /> : null}
        {data ? (
          <>
            <div className={classes.sums}>
              {(['reported', 'done', 'open'] as const).map((sum) => (
                <Fact key={sum} label={t(`tickets.sums.${sum}`)}>
                  {formatNumber(data[sum], 0)}
                </Fact>
              ))}
              <Fact label={t('tickets.sums.median')}>
                {data.medianSeconds === null ? '–' : formatDuration(data.medianSeconds * 1000)}
              </Fact>
            </div>
            <div className={classes.tables}>
              <Sums
                title={t('tickets.sums.types')}
                column={t('tickets.field.type')}
                rows={data.types.map(({ type, ...sums }) => ({
                  ...sums,
                  key: type,
                  name: t(`tickets.types.${type}`),
                }))}
              />
              <Sums
                title={t('tickets.sums.places')}
                column={t('tickets.field.place')}
                rows={data.places.map(({ id, title, ...sums }) => ({
                  ...sums,
                  key: String(id),
                  name: title,
                }))}
              />
            </div>
          </>
        ) : null}
      </Stack>
    </Modal>
  )
}

function Sums({
  title,
  column,
  rows,
}: {
  title: string
  /** of what the rows are */
  column: string
  rows: { key: string; name: string; reported: number; open: number }[]
}) {
  const { t } = useTranslation()
  return (
    <div>
      <Text fw={600} size="sm" mb={4}>
        {title}
      </Text>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{column}</Table.Th>
            <Table.Th ta="right">{t('tickets.sums.reported')}</Table.Th>
            <Table.Th ta="right">{t('tickets.sums.open')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Td>{row.name}</Table.Td>
              <Table.Td ta="right">{formatNumber(row.reported, 0)}</Table.Td>
              <Table.Td ta="right">{formatNumber(row.open, 0)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
