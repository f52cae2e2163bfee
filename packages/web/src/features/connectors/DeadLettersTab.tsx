import { Button, Drawer, Group, Pagination, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconMailCheck, IconX } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Fact } from '../../ui/Fact.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { RouterLink } from '../../ui/RouterLink.tsx'
import { Section } from '../../ui/Section.tsx'
import connectorClasses from './connectors.module.css'
import { errorText } from './entries.ts'
import classes from './logs.module.css'
import type { DeadLetter } from './queries.ts'
import { Raw } from './TrafficTab.tsx'

const pageSize = 20

/** Messages that could not be used, counted by reason, with what they held. */
export function DeadLettersTab({ id }: { id: number }) {
  const { t } = useTranslation()
  const [reason, setReason] = useState<string | undefined>(undefined)
  const [page, setPage] = useState(1)
  const [open, setOpen] = useState<DeadLetter | undefined>(undefined)
  const list = useQuery(
    api.bridge.deadLetters.queryOptions({
      input: { id, offset: (page - 1) * pageSize, limit: pageSize, ...(reason ? { reason } : {}) },
      placeholderData: keepPreviousData,
      refetchInterval: 15_000,
    }),
  )
  if (list.isError) return <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
  if (!list.data) return <Loading />
  const { items, total, byReason } = list.data
  if (byReason.length === 0 && total === 0) {
    return (
      <EmptyState
        icon={IconMailCheck}
        title={t('connectors.dead.none')}
        text={t('connectors.dead.noneText')}
        compact
      />
    )
  }
  const choose = (next: string | undefined) => {
    setReason(next)
    setPage(1)
  }
  return (
    <Stack gap="md">
      <div className={connectorClasses.reasons}>
        {byReason.map((entry) => (
          <Button
            key={entry.reason}
            variant={reason === entry.reason ? 'light' : 'default'}
            aria-pressed={reason === entry.reason}
            size="compact-md"
            onClick={() => choose(reason === entry.reason ? undefined : entry.reason)}
            rightSection={<span className="tabular">{formatNumber(entry.count, 0)}</span>}
          >
            {errorText({ code: entry.reason, message: '' }, t)}
          </Button>
        ))}
        {reason ? (
          <Button
            variant="subtle"
            color="gray"
            size="compact-md"
            leftSection={<Icon of={IconX} size={14} />}
            onClick={() => choose(undefined)}
          >
            {t('list.reset')}
          </Button>
        ) : null}
      </div>
      <Section title={t('connectors.dead.title')} description={t('connectors.dead.text')} flush>
        <ul className={classes.list}>
          {items.map((letter) => (
            <li key={letter.id}>
              <UnstyledButton className={classes.entry ?? ''} onClick={() => setOpen(letter)}>
                <span className={classes.time}>
                  <RelativeTime time={letter.receivedAt} />
                </span>
                <span className={classes.who}>{letter.identifier ?? '–'}</span>
                <span className={classes.what}>{letter.body.replace(/\s+/g, ' ').slice(0, 160)}</span>
                <span className={classes.reason}>
                  {errorText({ code: letter.reason, message: letter.detail }, t)}
                </span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </Section>
      {total > pageSize ? (
        <Pagination
          total={Math.ceil(total / pageSize)}
          value={page}
          onChange={setPage}
          getControlProps={(control) => ({ 'aria-label': t(`list.paging.${control}`) })}
        />
      ) : null}
      <Drawer
        opened={open !== undefined}
        onClose={() => setOpen(undefined)}
        position="right"
        size="lg"
        title={t('connectors.dead.entry')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {open ? <LetterDetails letter={open} connectorId={id} /> : null}
      </Drawer>
    </Stack>
  )
}

function LetterDetails({ letter, connectorId }: { letter: DeadLetter; connectorId: number }) {
  const { t } = useTranslation()
  const identifier = letter.identifier ?? ''
  return (
    <Stack gap="md">
      <Group gap="xl">
        <Fact label={t('connectors.traffic.at')}>{formatTime(letter.receivedAt)}</Fact>
        <Fact label={t('connectors.traffic.identifier')}>{identifier || '–'}</Fact>
      </Group>
      <Fact label={t('connectors.dead.reason')}>{errorText({ code: letter.reason, message: '' }, t)}</Fact>
      {letter.detail ? (
        <Text size="sm" c="dimmed">
          {letter.detail}
        </Text>
      ) : null}
      {letter.reason === 'DEVICE_UNKNOWN' && identifier ? (
        <RouterLink
          to={`/virtual-devices?create=1&connector=${connectorId}&externalId=${encodeURIComponent(identifier)}`}
          size="sm"
        >
          {t('connectors.dead.createDevice', { identifier })}
        </RouterLink>
      ) : null}
      <Raw text={letter.body} />
    </Stack>
  )
}
