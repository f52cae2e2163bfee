import { Button, Group, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconCloudUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { useKept } from '../kept/useKept.ts'
import { idOf, placeText } from '../pure.ts'
import classes from '../tickets.module.css'

/** After a report: its number (`?ticket=…`), or that it waits for a connection (`?kept=1`). */
export default function TicketSuccessPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [search] = useUrlSearch()
  const id = idOf(one(search, 'ticket'))
  const { data: kept } = useKept()
  const query = useQuery({
    ...api.isFmTicket.get.queryOptions({ input: { id: id ?? 0 } }),
    enabled: id !== null,
  })
  const waits = (kept?.length ?? 0) > 0
  const another = () => {
    const twin = query.data?.twin.id
    void navigate({ to: '/fm-add-ticket', search: twin === undefined ? {} : { twin: String(twin) } })
  }
  // Somebody came by the address alone: nothing was reported.
  if (id === null && one(search, 'kept') === undefined) return <Navigate to="/fm-add-ticket" replace />
  if (id !== null && query.isError && !query.data)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (id !== null && !query.data) return <Loading lines={4} />
  const ticket = query.data
  // What was kept may have been sent meanwhile.
  const isKept = !ticket && waits
  return (
    <div className={classes.success} role="status">
      <span className={classes.successIcon} data-kept={isKept || undefined}>
        <Icon of={isKept ? IconCloudUp : IconCircleCheck} size={64} />
      </span>
      <Title order={1}>{t(isKept ? 'tickets.success.kept' : 'tickets.success.title')}</Title>
      {ticket ? (
        <>
          <Text>{t('tickets.success.number', { number: ticket.number })}</Text>
          <Text c="dimmed" size="sm">
            {placeText(ticket.twin)}
          </Text>
          <Text>{t('tickets.success.next')}</Text>
        </>
      ) : null}
      {isKept ? <Text>{t('tickets.success.keptText')}</Text> : null}
      <Group justify="center" gap={8} mt="md">
        <Button onClick={another}>{t('tickets.success.another')}</Button>
        {ticket ? (
          <Button
            variant="default"
            onClick={() => void navigate({ to: '/fm-add-ticket', search: { ticket: String(ticket.id) } })}
          >
            {t('tickets.success.view')}
          </Button>
        ) : null}
      </Group>
    </div>
  )
}
