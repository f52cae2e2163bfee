import type { Ticket, TicketEntry } from '@leitstand/contract/tickets'
import { ticketStates } from '@leitstand/contract/tickets'
import { Button, Drawer, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core'
import {
  IconBellRinging,
  IconGitMerge,
  IconMessage,
  IconPencil,
  IconTicket,
  IconTrash,
} from '@tabler/icons-react'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatDate, formatTime } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'
import { useCan } from '../../lib/session.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { FavoriteStar } from '../../ui/display/FavoriteStar.tsx'
import { usePicture } from '../../ui/display/pictures.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { DialogFoot } from '../../ui/forms/DialogFoot.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { useLeave } from '../../ui/forms/useLeave.tsx'
import { MoreMenu } from '../../ui/page/ActionMenu.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { TicketFiles } from '../files/index.ts'
import { EditTicketDialog } from './EditTicketDialog.tsx'
import { JoinDialog } from './JoinDialog.tsx'
import { placeText, titleOf } from './pure.ts'
import { DueBadge, PersonName, PriorityBadge, StateBadge } from './TicketBadges.tsx'
import classes from './tickets.module.css'
import { useLiveTickets } from './useLiveTickets.ts'
import { inputOf, useChangeTicket, useMoveTicket } from './useTicket.ts'

const pageSize = 100
const lengthMax = 4_000

/** A ticket in a drawer, as it is now. */
export function OpenTicket({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation()
  useLiveTickets()
  const query = useQuery(api.isFmTicket.get.queryOptions({ input: { id } }))
  if (query.data) return <TicketDrawer ticket={query.data} onClose={onClose} />
  const isGone = query.isError && 'code' in query.error && query.error.code === 'TICKET_NOT_FOUND'
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={560}
      title={t('tickets.tab')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {query.isPending ? <Loading lines={6} /> : null}
      {isGone ? (
        <EmptyState icon={IconTicket} title={t('tickets.gone')} text={t('errors.TICKET_NOT_FOUND')} compact />
      ) : null}
      {query.isError && !isGone ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : null}
    </Drawer>
  )
}

function TicketDrawer({ ticket, onClose }: { ticket: Ticket; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const can = useCan()
  const [text, setText] = useState('')
  const [dialog, setDialog] = useState<'edit' | 'join' | 'delete' | null>(null)
  const send = useMutation({
    mutationFn: () => client.isFmTicket.comment({ id: ticket.id, text: text.trim() }),
    onSuccess: async () => {
      setText('')
      await reread(cache, api.isFmTicket.key())
      await reread(cache, historyKey(ticket.id))
    },
  })
  const { close, question } = useLeave(text.trim() !== '' && !send.isPending, onClose)
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size={560}
      title={titleOf(ticket)}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div className={classes.badges}>
            <StateBadge state={ticket.state} />
            <PriorityBadge priority={ticket.priority} />
            <DueBadge state={ticket.state} dueAt={ticket.dueAt} />
          </div>
          <Group gap={8} wrap="nowrap">
            {can('IsFmTicket', 'read') || can('IsFmTicket', 'manage') ? (
              <FavoriteStar type="ticket" objectId={ticket.id} />
            ) : null}
            {ticket.editable ? (
              <MoreMenu
                actions={[
                  { label: t('tickets.edit'), icon: IconPencil, onClick: () => setDialog('edit') },
                  { label: t('tickets.join'), icon: IconGitMerge, onClick: () => setDialog('join') },
                  {
                    label: t('tickets.delete'),
                    icon: IconTrash,
                    danger: true,
                    onClick: () => setDialog('delete'),
                  },
                ]}
              />
            ) : null}
          </Group>
        </Group>
        {ticket.duplicateOf === null ? null : (
          <Text size="sm">{t('tickets.duplicateOf', { number: ticket.duplicateOf.number })}</Text>
        )}
        {ticket.duplicates === 0 ? null : (
          <Text size="sm">{t('tickets.duplicates', { count: ticket.duplicates })}</Text>
        )}
        {ticket.editable ? <Tending ticket={ticket} /> : null}
        <Facts ticket={ticket} />
        {ticket.comment === '' ? null : (
          <Text size="sm" className={classes.text ?? ''}>
            {ticket.comment}
          </Text>
        )}
        {ticket.pictureId === null ? null : (
          <Photo id={ticket.pictureId} label={t('tickets.photoOf', { number: ticket.number })} />
        )}
        <History id={ticket.id} />
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (text.trim() !== '') send.mutate()
          }}
        >
          <Stack gap="md">
            <Textarea
              label={t('tickets.newComment')}
              placeholder={t('tickets.commentHint')}
              autosize
              minRows={2}
              maxRows={8}
              maxLength={lengthMax}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            {send.error ? <ErrorText error={send.error} /> : null}
            <DialogFoot>
              <Button
                type="submit"
                leftSection={<IconMessage size={16} aria-hidden />}
                disabled={text.trim() === ''}
                loading={send.isPending}
              >
                {t('tickets.sendComment')}
              </Button>
            </DialogFoot>
          </Stack>
        </form>
        <TicketFiles ticketId={ticket.id} />
      </Stack>
      {question}
      {dialog === 'edit' ? <EditTicketDialog ticket={ticket} onClose={() => setDialog(null)} /> : null}
      {dialog === 'join' ? <JoinDialog ticket={ticket} onClose={() => setDialog(null)} /> : null}
      {dialog === 'delete' ? (
        <DeleteTicket ticket={ticket} onDeleted={onClose} onClose={() => setDialog(null)} />
      ) : null}
    </Drawer>
  )
}

/** What is changed most: the state, and whose task it is. */
function Tending({ ticket }: { ticket: Ticket }) {
  const { t } = useTranslation()
  const move = useMoveTicket()
  const change = useChangeTicket()
  return (
    <Stack gap="sm">
      <SegmentedControl
        fullWidth
        aria-label={t('tickets.field.state')}
        data={ticketStates.map((state) => ({ value: String(state), label: t(`tickets.states.${state}`) }))}
        value={String(ticket.state)}
        disabled={move.isPending}
        onChange={(state) => move.mutate({ ticket, state: Number(state) as Ticket['state'] })}
      />
      <EntityPicker
        label={t('tickets.field.assignee')}
        placeholder={t('tickets.nobody')}
        disabled={change.isPending}
        value={ticket.assignee?.userId ? String(ticket.assignee.userId) : null}
        load={(search) => loadAssignees(ticket.id, search)}
        labelOf={async () => ticket.assignee?.name ?? ''}
        onChange={(value) =>
          change.mutate({ ...inputOf(ticket), assigneeId: value === null ? null : Number(value) })
        }
      />
    </Stack>
  )
}

async function loadAssignees(id: number, search: string) {
  const { items } = await client.isFmTicket.assignees({ id, limit: 20, ...(search ? { search } : {}) })
  return items.map((user) => ({ value: String(user.id), label: user.name }))
}

function Facts({ ticket }: { ticket: Ticket }) {
  const { t } = useTranslation()
  const can = useCan()
  const { twin } = ticket
  return (
    <Group gap="xl" align="flex-start">
      <Fact label={t('tickets.field.place')}>
        {can('DigitalTwin', 'read') ? (
          <RouterLink to={`/digitaltwin-mgmt/${twin.id}`}>{placeText(twin)}</RouterLink>
        ) : (
          placeText(twin)
        )}
      </Fact>
      <Fact label={t('tickets.field.type')}>{t(`tickets.types.${ticket.type}`)}</Fact>
      <Fact label={t('tickets.field.reporter')}>
        <PersonName person={ticket.reporter} />
        {ticket.source === 'person'
          ? null
          : ` (${t(`tickets.from${ticket.source === 'alarm' ? 'Alarm' : 'Rule'}`)})`}
      </Fact>
      <Fact label={t('tickets.field.createdAt')}>
        <RelativeTime time={ticket.createdAt} />
      </Fact>
      {ticket.editable || ticket.assignee === null ? null : (
        <Fact label={t('tickets.field.assignee')}>
          <PersonName person={ticket.assignee} />
        </Fact>
      )}
      {ticket.closedAt === null ? null : (
        <Fact label={t('tickets.field.closedAt')}>
          <RelativeTime time={ticket.closedAt} />
        </Fact>
      )}
      {ticket.alarmId !== null && can('VirtualDevice', 'read') ? (
        <Fact label={t('tickets.fromAlarm')}>
          <RouterLink to={`/alarm-logs?alarm=${ticket.alarmId}`}>
            <IconBellRinging size={14} aria-hidden /> #{ticket.alarmId}
          </RouterLink>
        </Fact>
      ) : null}
    </Group>
  )
}

function Photo({ id, label }: { id: number; label: string }) {
  const { url, error } = usePicture({ id })
  if (error) return <ErrorText error={error} />
  return url ? <img src={url} alt={label} className={classes.photo} /> : <Loading lines={3} />
}

const historyKey = (id: number) => ['ticket-history', id]

function History({ id }: { id: number }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  useLive('tickets', (message) => {
    if (message.kind === 'resync' || (message.kind === 'ticket' && message.ticketId === id))
      void reread(cache, historyKey(id))
  })
  const query = useInfiniteQuery({
    queryKey: historyKey(id),
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) => client.isFmTicket.history({ id, offset, limit: pageSize }),
    getNextPageParam: ({ offset, total }) => (offset + pageSize < total ? offset + pageSize : undefined),
  })
  if (query.isLoadingError)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (!query.data) return <Loading lines={3} />
  return (
    <section aria-label={t('tickets.history')}>
      <Text fw={600} size="sm" mb={8}>
        {t('tickets.history')}
      </Text>
      <ol className={classes.history}>
        {query.data.pages
          .flatMap(({ items }) => items)
          .map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
      </ol>
      {query.hasNextPage ? (
        <Button
          variant="subtle"
          size="xs"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('common.more')}
        </Button>
      ) : null}
    </section>
  )
}

function Entry({ entry }: { entry: TicketEntry }) {
  const { t } = useTranslation()
  return (
    <li>
      <Text size="xs" c="dimmed">
        <Text span inherit fw={600} c="var(--mantine-color-text)">
          <PersonName person={entry.by} />
        </Text>{' '}
        {entry.kind === 'created' ? t('tickets.created') : null} ·{' '}
        <time dateTime={entry.at}>{formatTime(entry.at)}</time>
      </Text>
      {entry.kind === 'comment' ? (
        <Text size="sm" className={classes.text ?? ''}>
          {entry.text}
        </Text>
      ) : null}
      {Object.entries(entry.changes).map(([field, [, to]]) => (
        <Text key={field} size="sm" className={classes.text ?? ''}>
          {t(`tickets.changed.${field}`, { to: shownValue(t, field, to) })}
        </Text>
      ))}
    </li>
  )
}

function shownValue(t: ReturnType<typeof useTranslation>['t'], field: string, value: string | null): string {
  if (value === null) return t(field === 'assignee' ? 'tickets.nobody' : 'tickets.none')
  switch (field) {
    case 'state':
      return t(`tickets.states.${value}`)
    case 'priority':
      return t(`tickets.priorities.${value}`)
    case 'type':
      return t(`tickets.types.${value}`)
    case 'dueAt':
      return formatDate(`${value}T12:00:00`)
    default:
      return value
  }
}

function DeleteTicket({
  ticket,
  onDeleted,
  onClose,
}: {
  ticket: Ticket
  onDeleted: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const remove = useMutation({
    mutationFn: () => client.isFmTicket.delete({ id: ticket.id }),
    onSuccess: async () => {
      notifySuccess(t('tickets.deleted'))
      onDeleted()
      await reread(cache, api.isFmTicket.key())
    },
  })
  return (
    <ConfirmDialog
      opened
      title={t('tickets.delete')}
      text={t('tickets.deleteText', { title: titleOf(ticket) })}
      confirmLabel={t('tickets.delete')}
      danger
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    >
      {remove.error ? <ErrorText error={remove.error} /> : null}
    </ConfirmDialog>
  )
}
