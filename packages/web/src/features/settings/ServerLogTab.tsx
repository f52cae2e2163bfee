import { type SystemLogEntry, systemLogLevels } from '@leitstand/contract/systemLog'
import { Drawer, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconChecks } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useNow } from '../../lib/time.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { Fact } from '../../ui/display/Fact.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { placeOf } from './logPlaces.ts'
import classes from './mails.module.css'
import { sinceHours, startOf } from './since.ts'

/** Warnings and errors of the server, with where and in which request they happened. */
export function ServerLogTab() {
  const { t } = useTranslation()
  const [open, setOpen] = useState<SystemLogEntry | null>(null)
  const nowMs = useNow()
  const known = useQuery(api.system.logs.queryOptions({ input: { limit: 1 } }))
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm" maw={640}>
        {t('serverLog.text')}
      </Text>
      <ListTable<SystemLogEntry>
        name="server-log"
        columns={columns(t, setOpen)}
        query={({ offset, limit, search, filters }) =>
          api.system.logs.queryOptions({
            input: {
              offset,
              limit,
              search,
              level: systemLogLevels.find((level) => level === filters.level?.[0]),
              area: filters.area?.[0],
              requestId: filters.requestId?.[0],
              from: startOf(filters.since?.[0], nowMs),
            },
            refetchInterval: 15_000,
          })
        }
        rowKey={(row) => row.id}
        filters={[
          {
            key: 'level',
            label: t('serverLog.field.level'),
            multiple: false,
            options: systemLogLevels.map((value) => ({ value, label: t(`serverLog.level.${value}`) })),
          },
          {
            key: 'area',
            label: t('serverLog.field.area'),
            multiple: false,
            options: (known.data?.areas ?? []).map((value) => ({ value, label: value })),
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
          {
            key: 'requestId',
            label: t('serverLog.field.requestId'),
            multiple: false,
            text: { description: t('serverLog.requestIdHint') },
          },
        ]}
        searchPlaceholder={t('serverLog.search')}
        empty={<EmptyState icon={IconChecks} title={t('serverLog.none')} text={t('serverLog.noneText')} />}
      />
      <Drawer
        opened={open !== null}
        onClose={() => setOpen(null)}
        position="right"
        size="lg"
        title={t('serverLog.entry')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {open ? <Details entry={open} /> : null}
      </Drawer>
    </>
  )
}

export function columns(t: TFunction, onOpen: (entry: SystemLogEntry) => void): ListColumn<SystemLogEntry>[] {
  return [
    {
      key: 'at',
      title: t('serverLog.field.at'),
      width: 180,
      hideBelow: 'sm',
      render: (row) => <span className="tabular">{formatTime(row.at)}</span>,
      csv: (row) => row.at,
    },
    {
      key: 'level',
      title: t('serverLog.field.level'),
      width: 120,
      hideBelow: 'sm',
      render: (row) => <Level level={row.level} />,
      csv: (row) => row.level,
    },
    {
      key: 'message',
      title: t('serverLog.field.message'),
      render: (row) => (
        <>
          <UnstyledButton className={classes.open ?? ''} onClick={() => onOpen(row)}>
            {row.message || '–'}
          </UnstyledButton>
          <Text size="xs" c="dimmed" hiddenFrom="sm" className={classes.narrow}>
            {formatTime(row.at)} · {t(`serverLog.level.${row.level}`)}
          </Text>
        </>
      ),
      csv: (row) => row.message,
    },
    {
      key: 'area',
      title: t('serverLog.field.area'),
      hideBelow: 'sm',
      render: (row) => row.area,
      csv: (row) => row.area,
    },
    {
      key: 'times',
      title: t('serverLog.field.times'),
      hideBelow: 'sm',
      render: (row) => row.times,
      csv: (row) => row.times,
    },
  ]
}

function Level({ level }: Pick<SystemLogEntry, 'level'>) {
  const { t } = useTranslation()
  return <StatusBadge tone={level} label={t(`serverLog.level.${level}`)} />
}

function Details({ entry }: { entry: SystemLogEntry }) {
  const { t } = useTranslation()
  const places = Object.entries(entry.about)
  return (
    <Stack gap="md">
      <Group gap="xl">
        <Fact label={t('serverLog.field.at')}>{formatTime(entry.at)}</Fact>
        <Fact label={t('serverLog.field.level')}>
          <Level level={entry.level} />
        </Fact>
        <Fact label={t('serverLog.field.area')}>{entry.area}</Fact>
        <Fact label={t('serverLog.field.node')}>{entry.node}</Fact>
        <Fact label={t('serverLog.field.times')}>{entry.times}</Fact>
      </Group>
      <Fact label={t('serverLog.field.message')}>{entry.message}</Fact>
      {entry.code === null ? null : <Fact label={t('serverLog.field.code')}>{entry.code}</Fact>}
      {entry.requestId === null ? null : (
        <Fact label={t('serverLog.field.requestId')}>
          {entry.requestId} <CopyButton value={entry.requestId} label={t('common.copyRequestId')} />
        </Fact>
      )}
      {places.length === 0 ? null : (
        <Fact label={t('serverLog.field.about')}>
          {places.map(([name, id]) => {
            const path = placeOf(name, entry.about)
            const text = `${name.replace(/Id$/, '')} ${id}`
            return <div key={name}>{path === null ? text : <RouterLink to={path}>{text}</RouterLink>}</div>
          })}
        </Fact>
      )}
      {entry.stack === null ? null : (
        <Fact label={t('serverLog.field.stack')}>
          <pre className={classes.body}>{entry.stack}</pre>
        </Fact>
      )}
    </Stack>
  )
}
