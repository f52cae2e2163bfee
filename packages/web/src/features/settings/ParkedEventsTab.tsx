import type { contract } from '@leitstand/contract'
import { Drawer, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { IconChecks, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import classes from './mails.module.css'

type ParkedEvent = InferContractRouterOutputs<typeof contract>['system']['parkedEvents']['items'][number]

interface Chosen {
  ids: number[]
  clear: () => void
}

/** Events whose handler failed: with the reason, and buttons to retry or discard them. */
export function ParkedEventsTab() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [open, setOpen] = useState<ParkedEvent | null>(null)
  const [discarding, setDiscarding] = useState<Chosen | null>(null)
  const refresh = () => cache.invalidateQueries({ queryKey: api.system.parkedEvents.key() })
  const retry = async ({ ids, clear }: Chosen) => {
    try {
      const { count } = await client.system.retryParkedEvents({ ids })
      notifySuccess(t('parkedEvents.retried', { count }))
      clear()
    } catch (error) {
      notifyError(error)
    }
    await refresh()
  }
  const discard = async ({ ids, clear }: Chosen) => {
    const { count } = await client.system.discardParkedEvents({ ids })
    notifySuccess(t('parkedEvents.discarded', { count }))
    clear()
    await refresh()
  }
  const chosen = (rows: readonly ParkedEvent[], clear: () => void) => ({
    ids: rows.map(({ id }) => id),
    clear,
  })
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm" maw={640}>
        {t('parkedEvents.text')}
      </Text>
      <ListTable<ParkedEvent>
        name="parked-events"
        columns={columns(t, setOpen)}
        query={({ offset, limit, search }) =>
          api.system.parkedEvents.queryOptions({ input: { offset, limit, search }, refetchInterval: 15_000 })
        }
        rowKey={(row) => row.id}
        searchPlaceholder={t('parkedEvents.search')}
        bulkActions={[
          {
            label: t('common.retry'),
            icon: IconRefresh,
            onClick: (rows, clear) => void retry(chosen(rows, clear)),
          },
          {
            label: t('parkedEvents.discard'),
            icon: IconTrash,
            danger: true,
            onClick: (rows, clear) => setDiscarding(chosen(rows, clear)),
          },
        ]}
        empty={
          <EmptyState icon={IconChecks} title={t('parkedEvents.none')} text={t('parkedEvents.noneText')} />
        }
      />
      <Drawer
        opened={open !== null}
        onClose={() => setOpen(null)}
        position="right"
        size="lg"
        title={t('parkedEvents.entry')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {open ? <Details event={open} /> : null}
      </Drawer>
      <ConfirmDanger
        opened={discarding !== null}
        onClose={() => setDiscarding(null)}
        title={t('parkedEvents.discardTitle', { count: discarding?.ids.length ?? 0 })}
        text={t('parkedEvents.discardText')}
        confirmLabel={t('parkedEvents.discard')}
        onConfirm={async () => (discarding === null ? undefined : discard(discarding))}
      />
    </>
  )
}

export function columns(t: TFunction, onOpen: (event: ParkedEvent) => void): ListColumn<ParkedEvent>[] {
  return [
    {
      key: 'parkedAt',
      title: t('parkedEvents.field.parkedAt'),
      width: 180,
      hideBelow: 'sm',
      render: (row) => <span className="tabular">{formatTime(row.parkedAt)}</span>,
      csv: (row) => row.parkedAt,
    },
    {
      key: 'topic',
      title: t('parkedEvents.field.topic'),
      render: (row) => (
        <>
          <UnstyledButton className={classes.open ?? ''} onClick={() => onOpen(row)}>
            {row.topic}
          </UnstyledButton>
          <Text size="xs" c="dimmed" hiddenFrom="sm" className={classes.narrow}>
            {formatTime(row.parkedAt)} · {reasonOf(row, t)}
          </Text>
        </>
      ),
      csv: (row) => row.topic,
    },
    {
      key: 'consumer',
      title: t('parkedEvents.field.consumer'),
      hideBelow: 'sm',
      render: (row) => row.consumer,
      csv: (row) => row.consumer,
    },
    {
      key: 'account',
      title: t('parkedEvents.field.account'),
      hideBelow: 'sm',
      render: (row) => row.accountName ?? '–',
      csv: (row) => row.accountName,
    },
    {
      key: 'reason',
      title: t('parkedEvents.field.reason'),
      hideBelow: 'sm',
      render: (row) => reasonOf(row, t),
      csv: (row) => row.reason,
    },
  ]
}

function reasonOf({ waits, reason }: ParkedEvent, t: TFunction): string {
  return waits ? t('parkedEvents.waits') : reason.slice(0, 200)
}

function Details({ event }: { event: ParkedEvent }) {
  const { t } = useTranslation()
  return (
    <Stack gap="md">
      <Group gap="xl">
        <Fact label={t('parkedEvents.field.topic')}>{event.topic}</Fact>
        <Fact label={t('parkedEvents.field.consumer')}>{event.consumer}</Fact>
        <Fact label={t('parkedEvents.field.account')}>{event.accountName ?? '–'}</Fact>
      </Group>
      <Group gap="xl">
        <Fact label={t('parkedEvents.field.parkedAt')}>{formatTime(event.parkedAt)}</Fact>
        <Fact label={t('parkedEvents.field.attempts')}>{event.attempts}</Fact>
      </Group>
      <Fact label={t('parkedEvents.field.reason')}>{event.reason}</Fact>
      <Fact label={t('parkedEvents.field.payload')}>
        <pre className={classes.body}>{event.payload}</pre>
      </Fact>
    </Stack>
  )
}
