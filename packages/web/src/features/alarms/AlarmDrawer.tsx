import type { Alarm } from '@leitstand/contract/alarms'
import { Button, Drawer, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconBellRinging, IconBellZ, IconCheck, IconMessage } from '@tabler/icons-react'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'
import { useNow } from '../../lib/time.ts'
import { tracePath } from '../../lib/trace.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Fact } from '../../ui/display/Fact.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { DialogFoot } from '../../ui/forms/DialogFoot.tsx'
import { useLeave } from '../../ui/forms/useLeave.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { AlarmOrigin } from './AlarmOrigin.tsx'
import { AcknowledgedBy } from './AlarmTending.tsx'
import { AssignSelect } from './AssignSelect.tsx'
import classes from './alarms.module.css'
import { alarmDurationMs, durationText } from './duration.ts'
import { messageOf, reasonPath } from './pure.ts'
import { SnoozeMenu } from './SnoozeMenu.tsx'
import { alarmActions } from './slots.ts'
import { useSnooze } from './useTasks.ts'
import { useAcknowledge } from './useTend.ts'

const pageSize = 50
const lengthMax = 4_000

/** An alarm: who takes care of it and what people say about it. */
export function AlarmDrawer({ alarm, onClose }: { alarm: Alarm; onClose: () => void }) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const cache = useQueryClient()
  const acknowledge = useAcknowledge()
  const snooze = useSnooze()
  const nowMs = useNow()
  const comments = useComments(alarm.id)
  const send = useMutation({
    mutationFn: () => client.alarmLogs.comment({ id: alarm.id, text: text.trim() }),
    onSuccess: async () => {
      setText('')
      await reread(cache, api.alarmLogs.key())
      await comments.refetch()
    },
  })
  const { close, question } = useLeave(text.trim() !== '' && !send.isPending, onClose)
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size={520}
      title={messageOf(t, alarm)}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        <Group gap={8}>
          <StatusBadge tone={alarm.severity} label={t(`alarms.severities.${alarm.severity}`)} />
          <StatusBadge
            tone={alarm.resolvedAt ? 'ok' : 'accent'}
            label={t(alarm.resolvedAt ? 'alarms.resolved' : 'alarms.open')}
          />
          <AcknowledgedBy alarm={alarm} />
        </Group>
        {alarm.maintained ? <Text size="sm">{t('alarms.maintainedText')}</Text> : null}
        {alarm.snoozed === null ? null : (
          <Group gap={8}>
            <Text size="sm">
              {t('alarms.snoozedBy', { name: alarm.snoozed.by, until: formatTime(alarm.snoozed.until) })}
            </Text>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconBellRinging size={14} aria-hidden />}
              loading={snooze.isPending}
              onClick={() => snooze.mutate({ ids: [alarm.id], until: null })}
            >
              {t('alarms.wake')}
            </Button>
          </Group>
        )}
        <Group gap="xl" align="flex-start">
          <Fact label={t('alarms.origin')}>
            <AlarmOrigin alarm={alarm} />
          </Fact>
          <Fact label={t('alarms.category')}>{t(`alarms.categories.${alarm.category}`)}</Fact>
          <Fact label={t('alarms.raisedAt')}>
            <RelativeTime time={alarm.raisedAt} />
          </Fact>
          <Fact label={t('alarms.duration')}>{durationText(alarmDurationMs(alarm, nowMs))}</Fact>
          {alarm.occurrences === 1 ? null : (
            <Fact label={t('alarms.occurrences')}>
              {t('alarms.occurred', { count: alarm.occurrences })}, <RelativeTime time={alarm.lastRaisedAt} />
            </Fact>
          )}
          <Fact label={t('alarms.rule')}>
            <RouterLink to={reasonPath(alarm)}>
              {alarm.ruleTitle ?? t(`alarms.sources.${alarm.source}`)}
            </RouterLink>
          </Fact>
        </Group>
        <div className={classes.task}>
          <AssignSelect alarm={alarm} />
          {alarm.resolvedAt === null && alarm.snoozed === null ? (
            <SnoozeMenu onChosen={(until) => snooze.mutate({ ids: [alarm.id], until })}>
              <Button
                variant="default"
                leftSection={<IconBellZ size={16} aria-hidden />}
                loading={snooze.isPending}
              >
                {t('alarms.snooze')}
              </Button>
            </SnoozeMenu>
          ) : null}
        </div>
        <SlotParts slot={alarmActions} props={{ alarm }} />
        {alarm.ruleId === null ? null : (
          <RouterLink to={tracePath({ alarm: alarm.id })}>{t('trace.follow')}</RouterLink>
        )}
        <Comments {...comments} />
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (text.trim() !== '') send.mutate()
          }}
        >
          <Stack gap="md">
            <Textarea
              label={t('alarms.comment')}
              placeholder={t('alarms.commentHint')}
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
                variant="default"
                leftSection={<IconMessage size={16} aria-hidden />}
                disabled={text.trim() === ''}
                loading={send.isPending}
              >
                {t('alarms.sendComment')}
              </Button>
              {alarm.acknowledged === null ? (
                <Button
                  leftSection={<IconCheck size={16} aria-hidden />}
                  loading={acknowledge.isPending}
                  onClick={() => acknowledge.mutate([alarm.id])}
                >
                  {t('alarms.acknowledge')}
                </Button>
              ) : null}
            </DialogFoot>
          </Stack>
        </form>
      </Stack>
      {question}
    </Drawer>
  )
}

function useComments(id: number) {
  const cache = useQueryClient()
  const queryKey = ['alarm-comments', id]
  useLive('alarms', (message) => {
    if (message.kind === 'resync' || (message.kind === 'alarm' && message.alarmId === id))
      void reread(cache, queryKey)
  })
  return useInfiniteQuery({
    queryKey,
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) => client.alarmLogs.comments({ id, offset, limit: pageSize }),
    getNextPageParam: ({ offset, total }) => (offset + pageSize < total ? offset + pageSize : undefined),
  })
}

function Comments(query: ReturnType<typeof useComments>) {
  const { t } = useTranslation()
  if (query.isLoadingError)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (!query.data) return <Loading lines={3} />
  const comments = query.data.pages.flatMap(({ items }) => items)
  if (comments.length === 0)
    return (
      <EmptyState
        icon={IconMessage}
        title={t('alarms.noComments')}
        text={t('alarms.noCommentsText')}
        compact
      />
    )
  return (
    <>
      <ol className={classes.comments} aria-label={t('alarms.comments')}>
        {comments.map((comment) => (
          <li key={comment.id}>
            <Text size="xs" c="dimmed">
              <Text span inherit fw={600} c="var(--mantine-color-text)">
                {comment.by}
              </Text>{' '}
              · <time dateTime={comment.at}>{formatTime(comment.at)}</time>
            </Text>
            <Text size="sm" className={classes.commentText ?? ''}>
              {comment.text}
            </Text>
          </li>
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
    </>
  )
}
