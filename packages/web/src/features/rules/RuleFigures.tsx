import type { AccountFigures, RuleFigures } from '@leitstand/contract/rules'
import { Button, Group, Popover, Table, Text } from '@mantine/core'
import { IconGauge } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatDuration, formatNumber } from '../../lib/format.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn, ListParams } from '../../ui/list/types.ts'
import { homeOf, rulePath } from './home.ts'

const dayChoices = [1, 7, 30, 92] as const
const daysUsual = 7

function inputOf({ offset, limit, search, accountIds, orderBy, filters }: ListParams) {
  return {
    offset,
    limit,
    days: Number(filters.days?.[0] ?? daysUsual),
    ...(search ? { search } : {}),
    ...(accountIds ? { accountIds } : {}),
    ...(filters.fired?.[0] === 'never' ? { neverFired: true } : {}),
    ...(orderBy ? { orderBy: orderBy as '-durationMs' } : {}),
  }
}

/** What rules did and cost: noisy ones, slow ones, and those that have never fired. */
export function Figures() {
  const { t } = useTranslation()
  const number = (
    key: 'evaluations' | 'fired' | 'errors',
    extra: Partial<ListColumn<RuleFigures>> = {},
  ): ListColumn<RuleFigures> => ({
    key,
    title: t(`rules.figures.${key}`),
    sortable: true,
    align: 'right',
    csv: (row) => row[key],
    render: (row) => formatNumber(row[key], 0),
    ...extra,
  })
  const columns: ListColumn<RuleFigures>[] = [
    {
      key: 'title',
      title: t('rules.rule'),
      sortable: true,
      csv: (row) => row.ruleTitle,
      render: (row) => row.ruleTitle,
    },
    {
      key: 'twin',
      title: t('rules.belongsTo'),
      hideBelow: 'xs',
      card: 'fact',
      csv: (row) => homeOf(row).title,
      render: (row) => homeOf(row).title,
    },
    number('evaluations', { hideBelow: 'sm', card: 'fact' }),
    number('fired'),
    number('errors', { hideBelow: 'sm', card: 'fact' }),
    {
      key: 'durationMs',
      title: t('rules.figures.duration'),
      sortable: true,
      align: 'right',
      csv: (row) => row.durationMs,
      render: (row) => formatDuration(row.durationMs),
    },
    {
      key: 'meanMs',
      title: t('rules.figures.mean'),
      sortable: true,
      align: 'right',
      hideBelow: 'sm',
      card: 'fact',
      csv: (row) => row.meanMs,
      render: (row) => (row.meanMs === null ? '–' : formatDuration(row.meanMs)),
    },
    {
      key: 'lastFiredAt',
      title: t('rules.firedAt'),
      hideBelow: 'md',
      render: (row) => <RelativeTime time={row.lastFiredAt} empty={t('rules.never')} />,
    },
  ]
  return (
    <ListTable<RuleFigures>
      name="ruleFigures"
      columns={columns}
      filters={[
        {
          key: 'days',
          label: t('rules.figures.period'),
          multiple: false,
          options: dayChoices.map((count) => ({
            value: String(count),
            label: t('rules.figures.days', { count }),
          })),
        },
        {
          key: 'fired',
          label: t('rules.figures.firedFilter'),
          multiple: false,
          options: [{ value: 'never', label: t('rules.figures.neverFired') }],
        },
      ]}
      besideFilters={(params) => <Sums params={params} />}
      query={(params) => api.ddr.figures.queryOptions({ input: inputOf(params) })}
      rowKey={(row) => row.ruleId}
      rowHref={(row) => rulePath(row.ruleId, row)}
      isDimmed={(row) => !row.active}
      searchPlaceholder={t('rules.searchPlaceholder')}
      withAccounts
      defaultSort="-durationMs"
      empty={<EmptyState icon={IconGauge} title={t('rules.empty')} text={t('rules.emptyMonitor')} />}
    />
  )
}

/** Of all rules found. */
function Sums({ params }: { params: ListParams }) {
  const { t } = useTranslation()
  const { data } = useQuery(api.ddr.figures.queryOptions({ input: inputOf(params) }))
  if (!data) return null
  const { evaluations, fired, durationMs } = data.sums
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        {t('rules.figures.sums', {
          evaluations: formatNumber(evaluations, 0),
          fired: formatNumber(fired, 0),
          duration: formatDuration(durationMs),
        })}
      </Text>
      {data.accounts.length > 1 ? <ByAccount accounts={data.accounts} /> : null}
    </Group>
  )
}

/** What the rules of each account cost, the most expensive first. */
function ByAccount({ accounts }: { accounts: readonly AccountFigures[] }) {
  const { t } = useTranslation()
  return (
    <Popover position="bottom-start" withinPortal trapFocus>
      <Popover.Target>
        <Button variant="subtle" size="compact-sm">
          {t('rules.figures.byAccount')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('rules.figures.byAccount')}>
        <Table.ScrollContainer
          minWidth={0}
          maxHeight={360}
          scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
        >
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('rules.figures.account')}</Table.Th>
                <Table.Th ta="right">{t('rules.figures.rules')}</Table.Th>
                <Table.Th ta="right" visibleFrom="xs">
                  {t('rules.figures.fired')}
                </Table.Th>
                <Table.Th ta="right">{t('rules.figures.duration')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {accounts.map(({ accountId, accountName, rules, fired, durationMs }) => (
                <Table.Tr key={accountId}>
                  <Table.Td>{accountName}</Table.Td>
                  <Table.Td ta="right">{formatNumber(rules, 0)}</Table.Td>
                  <Table.Td ta="right" visibleFrom="xs">
                    {formatNumber(fired, 0)}
                  </Table.Td>
                  <Table.Td ta="right">{formatDuration(durationMs)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Popover.Dropdown>
    </Popover>
  )
}
