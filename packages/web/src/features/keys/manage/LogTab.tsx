import { type Activation, activationResults } from '@leitstand/contract/keys'
import { Button, Text } from '@mantine/core'
import { IconHistory, IconSettings } from '@tabler/icons-react'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { formatTime } from '../../../lib/format.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import type { ListColumn, ListFilter, ListParams } from '../../../ui/list/types.ts'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { reasonText, resultOf, resultTones } from '../words.ts'
import { periods, sinceOf } from './period.ts'
import { loadGroups, loadHolders, loadLockedDoors, nameGroup } from './pickers.ts'

const LogSettings = onDemand(() => import('./LogSettings.tsx'))

const results = ['requested', ...activationResults] as const

/** Who has opened which door, and who was refused; live. */
export function LogTab() {
  const { t } = useTranslation()
  const [isSet, setSet] = useState(false)
  const settings = (
    <Button variant="default" leftSection={<Icon of={IconSettings} size={16} />} onClick={() => setSet(true)}>
      {t('keys.logSettings')}
    </Button>
  )
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm" maw={720}>
        {t('keys.logText')}
      </Text>
      <ListTable<Activation>
        name="door-openings"
        besideFilters={() => settings}
        columns={useColumns()}
        filters={useFilters()}
        query={({ offset, limit, ...params }) =>
          api.isfmAccessMgmt.log.queryOptions({ input: { offset, limit, ...inputOf(params) } })
        }
        written={async (params, format) => ({
          ...(await client.isfmAccessMgmt.logFile({
            ...inputOf(params),
            format,
            language: currentLanguage(),
          })),
          name: 'door-openings',
        })}
        rowKey={({ id }) => id}
        searchPlaceholder={t('keys.searchLog')}
        withAccounts
        empty={
          <EmptyState
            icon={IconHistory}
            title={t('keys.noLog')}
            text={t('keys.noLogText')}
            action={settings}
          />
        }
      />
      {isSet ? (
        <Suspense fallback={null}>
          <LogSettings onClose={() => setSet(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

function inputOf({ search, accountIds, filters }: Pick<ListParams, 'search' | 'accountIds' | 'filters'>) {
  const chosen = results.filter((each) => filters.result?.includes(each))
  const [door] = filters.door ?? []
  const [group] = filters.group ?? []
  const [person] = filters.person ?? []
  const from = sinceOf(filters.period?.[0], Date.now())
  return {
    ...(search ? { search } : {}),
    ...(accountIds ? { accountIds } : {}),
    ...(chosen.length > 0 ? { results: chosen } : {}),
    ...(door ? { twinId: Number(door) } : {}),
    ...(group ? { groupId: Number(group) } : {}),
    ...(person ? { userId: Number(person) } : {}),
    ...(from ? { from } : {}),
  }
}

function useFilters(): ListFilter[] {
  const { t } = useTranslation()
  return useMemo(
    () => [
      {
        key: 'door',
        label: t('keys.field.door'),
        multiple: false,
        load: loadLockedDoors,
        labelOf: async (id) => (await client.digitaltwin.get({ id: Number(id) })).title,
      },
      {
        key: 'group',
        label: t('keys.field.group'),
        multiple: false,
        load: loadGroups,
        labelOf: nameGroup,
      },
      {
        key: 'person',
        label: t('keys.field.user'),
        multiple: false,
        load: (search) => loadHolders(search, { lockId: null, groupId: null }),
        labelOf: async (id) => {
          const { items } = await client.isfmAccessMgmt.log({ userId: Number(id), limit: 1 })
          return items[0]?.user.name ?? id
        },
      },
      {
        key: 'period',
        label: t('keys.field.time'),
        multiple: false,
        options: Object.keys(periods).map((value) => ({ value, label: t(`keys.period.${value}`) })),
      },
      {
        key: 'result',
        label: t('keys.field.result'),
        multiple: true,
        options: results.map((value) => ({ value, label: t(`keys.result.${value}`) })),
      },
    ],
    [t],
  )
}

function useColumns(): ListColumn<Activation>[] {
  const { t } = useTranslation()
  return useMemo(
    () => [
      {
        key: 'requestedAt',
        title: t('keys.field.time'),
        width: 210,
        render: ({ requestedAt }) => <span className="tabular">{formatTime(requestedAt)}</span>,
      },
      {
        key: 'door',
        title: t('keys.field.door'),
        card: 'title',
        width: 200,
        render: ({ lock }) =>
          lock.twinId === null ? (
            lock.title
          ) : (
            <RouterLink to={`/digitaltwin-mgmt/${lock.twinId}`}>{lock.title}</RouterLink>
          ),
      },
      { key: 'user', title: t('keys.field.user'), width: 180, render: ({ user }) => user.name },
      {
        key: 'result',
        title: t('keys.field.result'),
        render: (row) => (
          <StatusBadge tone={resultTones[resultOf(row)]} label={t(`keys.result.${resultOf(row)}`)} />
        ),
      },
      {
        key: 'reason',
        title: t('keys.field.reason'),
        hideBelow: 'sm',
        card: 'fact',
        render: (row) => reasonText(t, row) || '–',
      },
      {
        key: 'metres',
        title: t('keys.field.metresAway'),
        optional: true,
        align: 'right',
        render: ({ metres }) => metres ?? '–',
      },
      {
        key: 'account',
        title: t('keys.field.account'),
        optional: true,
        render: ({ accountName }) => accountName,
      },
    ],
    [t],
  )
}
