import { Button, Group, Stack, Text } from '@mantine/core'
import { IconMailCheck, IconRefresh, IconTrash } from '@tabler/icons-react'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { useNow } from '../../lib/time.ts'
import { one, stringifySearch, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { listParams } from '../../ui/list/params.ts'
import { useListState } from '../../ui/list/state.ts'
import type { BulkAction, ListColumn, ListFilter } from '../../ui/list/types.ts'
import { Section } from '../../ui/page/Section.tsx'
import { type Connector, connectorPath, errorText } from '../connectors/index.ts'
import { JobPanel } from '../jobs/index.ts'
import { excerpt, letterFilter, sinceHours } from './filters.ts'
import { LetterDrawer } from './LetterDrawer.tsx'
import classes from './letters.module.css'
import { type DeadLetter, refreshLetters } from './queries.ts'
import { useLetterActions } from './useLetterActions.tsx'

const refreshMs = 15_000

/** Messages that could not be processed: filter, replay once the cause is fixed, or delete. */
export default function DeadLettersTab({ connector }: { connector: Connector }) {
  const { t } = useTranslation()
  const { id } = connector
  const cache = useQueryClient()
  const nowMs = useNow()
  const [search, update] = useUrlSearch()
  const overview = useQuery(
    api.letters.list.queryOptions({
      input: { id, limit: 1 },
      placeholderData: keepPreviousData,
      refetchInterval: refreshMs,
    }),
  )
  const filters = filtersOf(overview.data?.byReason.map(({ reason }) => reason) ?? [], t)
  // Refused messages that were processed again or deleted are still counted below.
  const hadRefusals = (overview.data?.refusals ?? []).length > 0
  const list = useListState(filters)
  const filter = letterFilter(listParams(list.state, undefined), nowMs)
  const { jobId, showJob, dismissJob } = useReplayJob(id)
  const actions = useLetterActions(id, showJob)
  const refresh = useCallback(() => void refreshLetters(cache), [cache])
  const newestId = overview.data?.newestId ?? undefined
  const all = { filter: { ...filter, ...(newestId === undefined ? {} : { untilId: newestId }) } }
  const close = () => update({ letter: undefined })
  const letterId = Number(one(search, 'letter')) || undefined
  return (
    <Stack gap="md">
      {jobId === undefined ? null : <JobPanel id={jobId} onChange={refresh} onDismiss={dismissJob} />}
      <div>
        <ListTable<DeadLetter>
          name="dead-letters"
          columns={columnsOf(t)}
          query={(params) =>
            api.letters.list.queryOptions({
              input: { id, offset: params.offset, limit: params.limit, ...letterFilter(params, nowMs) },
              refetchInterval: refreshMs,
            })
          }
          rowKey={(row) => row.id}
          rowHref={(row) => `${connectorPath(connector)}${stringifySearch({ ...search, letter: row.id })}`}
          filters={filters}
          searchPlaceholder={t('connectors.dead.search')}
          bulkActions={bulkActionsOf(actions, t)}
          header={(total = 0) => (
            <Head
              total={total}
              onReplay={() => actions.askReplay({ selection: all, count: total })}
              onDelete={() => actions.askDelete({ selection: all, count: total })}
            />
          )}
          empty={
            <EmptyState
              icon={IconMailCheck}
              title={t(hadRefusals ? 'connectors.dead.noneLeft' : 'connectors.dead.none')}
              text={t(hadRefusals ? 'connectors.dead.noneLeftText' : 'connectors.dead.noneText')}
              compact
            />
          }
        />
      </div>
      <Refusals refusals={overview.data?.refusals ?? []} />
      <LetterDrawer
        connectorId={id}
        letterId={letterId}
        onClose={close}
        onReplay={(letter) => actions.askReplay({ selection: selected([letter]), count: 1, after: close })}
        onDelete={(letter) => actions.askDelete({ selection: selected([letter]), count: 1, after: close })}
      />
      {actions.dialogs}
    </Stack>
  )
}

/** Introduction, and actions for everything the filter matches. */
function Head(props: { total: number; onReplay: () => void; onDelete: () => void }) {
  const { t } = useTranslation()
  const counted = { count: props.total, shown: formatNumber(props.total, 0) }
  return (
    <Group justify="space-between" mb="sm" gap="sm">
      <Text size="sm" c="dimmed" maw={640}>
        {t('connectors.dead.text')}
      </Text>
      {props.total > 0 ? (
        <Group gap={8}>
          <Button variant="default" leftSection={<Icon of={IconRefresh} />} onClick={props.onReplay}>
            {t('connectors.dead.replayAll', counted)}
          </Button>
          <Button variant="light" color="red" leftSection={<Icon of={IconTrash} />} onClick={props.onDelete}>
            {t('connectors.dead.deleteAll', counted)}
          </Button>
        </Group>
      ) : null}
    </Group>
  )
}

const selected = (rows: readonly DeadLetter[]) => ({ ids: rows.map((row) => row.id) })

function bulkActionsOf(
  { askReplay, askDelete }: Pick<ReturnType<typeof useLetterActions>, 'askReplay' | 'askDelete'>,
  t: TFunction,
): BulkAction<DeadLetter>[] {
  const asked = (rows: DeadLetter[], after: () => void) => ({
    selection: selected(rows),
    count: rows.length,
    after,
  })
  return [
    {
      label: t('connectors.dead.replay'),
      icon: IconRefresh,
      onClick: (rows, clear) => askReplay(asked(rows, clear)),
    },
    {
      label: t('connectors.dead.delete'),
      icon: IconTrash,
      danger: true,
      onClick: (rows, clear) => askDelete(asked(rows, clear)),
    },
  ]
}

/** Total rejections of the connector by reason, including messages that could not be stored. */
function Refusals(props: { refusals: readonly { reason: string; count: number; lastAt: string }[] }) {
  const { t } = useTranslation()
  if (props.refusals.length === 0) return null
  return (
    <Section title={t('connectors.dead.refusals')} description={t('connectors.dead.refusalsText')}>
      <ul className={classes.refusals}>
        {props.refusals.map(({ reason, count, lastAt }) => (
          <li key={reason}>
            <span className={classes.count}>{formatNumber(count, 0)}</span>
            <span>
              {errorText({ code: reason, message: '' }, t)}{' '}
              <Text span size="xs" c="dimmed">
                {t('connectors.dead.lastAt')} <RelativeTime time={lastAt} />
              </Text>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function filtersOf(reasons: readonly string[], t: TFunction): ListFilter[] {
  return [
    {
      key: 'reason',
      label: t('connectors.dead.reason'),
      multiple: false,
      options: reasons.map((reason) => ({
        value: reason,
        label: errorText({ code: reason, message: '' }, t),
      })),
    },
    {
      key: 'identifier',
      label: t('connectors.traffic.identifier'),
      text: { placeholder: 'A81758FFFE000001', description: t('connectors.dead.identifierHint') },
    },
    {
      key: 'since',
      label: t('connectors.dead.since'),
      multiple: false,
      options: sinceHours.map((hours) => ({ value: String(hours), label: t(`systemLogs.since.${hours}`) })),
    },
  ]
}

export function columnsOf(t: TFunction): ListColumn<DeadLetter>[] {
  return [
    {
      key: 'reason',
      title: t('connectors.dead.reason'),
      render: (row) => (
        <span className={classes.reason}>
          {errorText({ code: row.reason, message: row.detail }, t)}
          <span className={classes.sub} data-phone>
            {formatTime(row.receivedAt)}
            {row.identifier ? ` · ${row.identifier}` : ''}
          </span>
          {row.attempts > 0 ? (
            <span className={classes.sub}>{t('connectors.dead.tried', { count: row.attempts })}</span>
          ) : null}
        </span>
      ),
      csv: (row) => row.reason,
    },
    {
      key: 'receivedAt',
      title: t('connectors.traffic.at'),
      hideBelow: 'xs',
      render: (row) => <span className="tabular">{formatTime(row.receivedAt)}</span>,
      csv: (row) => row.receivedAt,
      width: 190,
    },
    {
      key: 'identifier',
      title: t('connectors.traffic.identifier'),
      hideBelow: 'xs',
      render: (row) => <span className={classes.identifier}>{row.identifier ?? '–'}</span>,
      csv: (row) => row.identifier,
    },
    {
      key: 'detail',
      title: t('connectors.dead.detail'),
      optional: true,
      render: (row) => row.detail,
      csv: (row) => row.detail,
    },
    {
      key: 'body',
      title: t('connectors.traffic.raw'),
      hideBelow: 'md',
      render: (row) => <span className={classes.excerpt}>{excerpt(row.body)}</span>,
      csv: (row) => row.body,
    },
  ]
}

/** The replay to show: the one just started, else one of this connector that is still running. */
function useReplayJob(connectorId: number) {
  const [chosen, setChosen] = useState<number | null>(null)
  const open = useQuery(
    api.job.list.queryOptions({
      input: {
        types: ['dead-letters-replay'],
        states: ['created', 'inprogress'],
        resourceType: 'connector',
        resourceId: connectorId,
        limit: 1,
      },
    }),
  )
  const [dismissed, setDismissed] = useState<number | null>(null)
  const jobId = chosen ?? open.data?.items[0]?.id
  return {
    jobId: jobId === dismissed ? undefined : jobId,
    showJob: (id: number) => {
      setChosen(id)
      setDismissed(null)
    },
    dismissJob: () => setDismissed(jobId ?? null),
  }
}
