import { Button, Text, UnstyledButton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useUser } from '../../../lib/session.ts'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { placeText, titleOf } from '../pure.ts'
import { StateBadge } from '../TicketBadges.tsx'
import classes from '../tickets.module.css'

const atFirst = 5
const more = 20
const most = 1_000

/** What the user has reported, and what became of it. */
export function MyReports({ onOpen }: { onOpen: (id: number) => void }) {
  const { t } = useTranslation()
  const { id: userId } = useUser()
  const [limit, setLimit] = useState(atFirst)
  const query = useQuery(
    api.isFmTicket.ofUser.queryOptions({ input: { userId, limit }, placeholderData: keepPreviousData }),
  )
  const { data } = query
  return (
    <Section title={t('tickets.add.mine')}>
      {query.isError && !data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : null}
      {query.isPending ? <Loading lines={3} /> : null}
      {data?.total === 0 ? (
        <Text size="sm" c="dimmed">
          {t('tickets.add.mineNone')}
        </Text>
      ) : null}
      <ul className={classes.plain}>
        {data?.items.map((ticket) => (
          <li key={ticket.id}>
            <UnstyledButton className={classes.row} w="100%" onClick={() => onOpen(ticket.id)}>
              <span className={classes.rowText}>
                <Text span fw={550}>
                  {titleOf(ticket)}
                </Text>
                <Text span size="sm" c="dimmed">
                  {placeText(ticket.twin)} · <RelativeTime time={ticket.createdAt} />
                </Text>
              </span>
              <StateBadge state={ticket.state} />
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {data && data.total > limit && limit < most ? (
        <Button
          mt="sm"
          size="xs"
          variant="subtle"
          loading={query.isFetching}
          onClick={() => setLimit((current) => Math.min(current + more, most))}
        >
          {t('common.more')}
        </Button>
      ) : null}
    </Section>
  )
}
