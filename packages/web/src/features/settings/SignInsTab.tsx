import { type FailedSignIn, failedSignInReasons } from '@leitstand/contract/failedSignIns'
import { Text } from '@mantine/core'
import { IconShieldCheck } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { useNow } from '../../lib/time.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { accountPath } from '../accounts/index.ts'
import { userPath } from '../people/index.ts'
import classes from './mails.module.css'
import { sinceHours, startOf } from './since.ts'

/** Sign-ins that failed: who was tried, from where, and why it failed. */
export function SignInsTab() {
  const { t } = useTranslation()
  const nowMs = useNow()
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm" maw={640}>
        {t('failedSignIns.text')}
      </Text>
      <ListTable<FailedSignIn>
        name="failed-sign-ins"
        columns={columns(t)}
        query={({ offset, limit, search, filters }) =>
          api.failedSignIn.list.queryOptions({
            input: {
              offset,
              limit,
              search,
              reason: failedSignInReasons.find((reason) => reason === filters.reason?.[0]),
              from: startOf(filters.since?.[0], nowMs),
            },
            refetchInterval: 15_000,
          })
        }
        rowKey={(row) => row.id}
        filters={[
          {
            key: 'reason',
            label: t('failedSignIns.field.reason'),
            multiple: false,
            options: failedSignInReasons.map((value) => ({
              value,
              label: t(`failedSignIns.reason.${value}`),
            })),
          },
          {
            key: 'since',
            label: t('systemLogs.field.since'),
            multiple: false,
            options: sinceHours.map((hours) => ({
              value: String(hours),
              label: t(`systemLogs.since.${hours}`),
            })),
          },
        ]}
        searchPlaceholder={t('failedSignIns.search')}
        empty={
          <EmptyState
            icon={IconShieldCheck}
            title={t('failedSignIns.none')}
            text={t('failedSignIns.noneText')}
          />
        }
      />
    </>
  )
}

/** Why it failed; what a provider's answer was refused for is in the catalogue of errors. */
function reasonText(t: TFunction, { reason, code }: FailedSignIn): string {
  const text = t(`failedSignIns.reason.${reason}`)
  return code === null ? text : `${text}: ${t(`errors.${code}`, { defaultValue: code })}`
}

const nameText = (t: TFunction, { name }: FailedSignIn) => name || t('failedSignIns.severalNames')
const addressText = (t: TFunction, { address }: FailedSignIn) =>
  address || t('failedSignIns.severalAddresses')

function Name({ row }: { row: FailedSignIn }) {
  const { t } = useTranslation()
  const { user, account } = row
  const name = nameText(t, row)
  return (
    <>
      {user && account ? (
        <RouterLink to={userPath({ id: user.id, accountId: account.id })}>{user.name}</RouterLink>
      ) : (
        name
      )}
      {user && user.name.toLowerCase() !== row.name ? (
        <Text size="xs" c="dimmed">
          {t('failedSignIns.typed', { name })}
        </Text>
      ) : null}
      <Text size="xs" c="dimmed" hiddenFrom="sm" className={classes.narrow}>
        {reasonText(t, row)} · {formatTime(row.lastAt)} · {addressText(t, row)}
        {row.times > 1 ? ` · ${t('failedSignIns.times', { count: row.times })}` : null}
      </Text>
    </>
  )
}

export function columns(t: TFunction): ListColumn<FailedSignIn>[] {
  return [
    {
      key: 'name',
      title: t('failedSignIns.field.name'),
      card: 'title',
      render: (row) => <Name row={row} />,
      csv: (row) => nameText(t, row),
    },
    {
      key: 'reason',
      title: t('failedSignIns.field.reason'),
      hideBelow: 'sm',
      render: (row) => reasonText(t, row),
      csv: (row) => reasonText(t, row),
    },
    {
      key: 'address',
      title: t('failedSignIns.field.address'),
      hideBelow: 'sm',
      render: (row) => <span className="tabular">{addressText(t, row)}</span>,
      csv: (row) => row.address,
    },
    {
      key: 'lastAt',
      title: t('failedSignIns.field.lastAt'),
      width: 180,
      hideBelow: 'sm',
      render: (row) => <span className="tabular">{formatTime(row.lastAt)}</span>,
      csv: (row) => row.lastAt,
    },
    {
      key: 'times',
      title: t('failedSignIns.field.times'),
      width: 90,
      hideBelow: 'sm',
      render: (row) => <span className="tabular">{formatNumber(row.times, 0)}</span>,
      csv: (row) => row.times,
    },
    {
      key: 'account',
      title: t('failedSignIns.field.account'),
      hideBelow: 'md',
      render: ({ account }) =>
        account === null ? '–' : <RouterLink to={accountPath(account.id)}>{account.name}</RouterLink>,
      csv: ({ account }) => account?.name ?? '',
    },
    {
      key: 'user',
      title: t('failedSignIns.field.user'),
      optional: true,
      render: ({ user }) => user?.name ?? '–',
      csv: ({ user }) => user?.name ?? '',
    },
    {
      key: 'firstAt',
      title: t('failedSignIns.field.firstAt'),
      optional: true,
      render: (row) => <span className="tabular">{formatTime(row.firstAt)}</span>,
      csv: (row) => row.firstAt,
    },
  ]
}
