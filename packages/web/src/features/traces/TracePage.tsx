import type { Trace } from '@leitstand/contract/traces'
import { Alert, Button, Group, Text, Title } from '@mantine/core'
import { IconCheck, IconCopy, IconRoute } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatDate, formatNumber } from '../../lib/format.ts'
import type { TraceStart } from '../../lib/trace.ts'
import { useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { Steps } from './Steps.tsx'
import { startOf } from './start.ts'
import classes from './traces.module.css'
import { traceText } from './words.ts'

/** What became of a packet, and where a value, a mail, an alarm or an execution came from, `/trace`. */
export default function TracePage() {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  const start = startOf(search)
  return (
    <div className={classes.page}>
      <Title order={1} mb={4}>
        {t('trace.title')}
      </Title>
      <Text c="dimmed" size="sm" mb="md" maw={720}>
        {t('trace.text')}
      </Text>
      {start === undefined ? (
        <EmptyState icon={IconRoute} title={t('trace.none')} text={t('trace.noneText')} />
      ) : (
        <Found key={JSON.stringify(start)} start={start} />
      )}
    </div>
  )
}

function Found({ start }: { start: TraceStart }) {
  const { t } = useTranslation()
  const query = useTrace(start)
  const trace = query.data as Trace | undefined
  if (trace === undefined)
    return query.isError ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <Loading lines={8} />
    )
  return (
    <>
      <Group gap={8} mb="md">
        <CopyText trace={trace} />
      </Group>
      {trace.cut ? (
        <Alert color="yellow" variant="light" mb="md">
          {t('trace.cut')}
        </Alert>
      ) : null}
      <Steps steps={trace.steps} />
      <Kept kept={trace.kept} />
    </>
  )
}

function useTrace(start: TraceStart) {
  const { letter, packet, value, execution, mail, alarm } = api.trace
  const options =
    'packet' in start
      ? packet.queryOptions({
          input: { packetId: start.packet, deviceId: start.device, receivedAt: start.at },
        })
      : 'letter' in start
        ? letter.queryOptions({
            input: {
              letterId: start.letter,
              connectorId: start.connector,
              receivedAt: start.at,
              ...(start.identifier === undefined ? {} : { identifier: start.identifier }),
            },
          })
        : 'state' in start
          ? value.queryOptions({ input: { stateId: start.state, at: start.at } })
          : 'execution' in start
            ? execution.queryOptions({ input: { id: start.execution } })
            : 'mail' in start
              ? mail.queryOptions({ input: { id: start.mail } })
              : alarm.queryOptions({ input: { id: start.alarm } })
  const { queryKey, queryFn } = options as ReturnType<typeof mail.queryOptions>
  return useQuery({ queryKey, queryFn: queryFn as NonNullable<typeof queryFn> })
}

function CopyText({ trace }: { trace: Trace }) {
  const { t } = useTranslation()
  const [isCopied, setCopied] = useState(false)
  return (
    <Button
      variant="default"
      leftSection={<Icon of={isCopied ? IconCheck : IconCopy} />}
      onClick={async () => {
        try {
          await navigator.clipboard.writeText(traceText(trace, t))
          setCopied(true)
        } catch (error) {
          notifyError(error, t('common.copyFailed'))
        }
      }}
    >
      {t(isCopied ? 'common.copied' : 'trace.copy')}
    </Button>
  )
}

/** Nothing is dropped silently: how long each part of a trace is kept. */
function Kept({ kept }: { kept: Trace['kept'] }) {
  const { t } = useTranslation()
  return (
    <section className={classes.kept} aria-label={t('trace.keptTitle')}>
      <Text size="sm" fw={550}>
        {t('trace.keptTitle')}
      </Text>
      <ul>
        <li>
          {t('trace.keptMonths', { count: kept.months })}{' '}
          {t('trace.keptSince', { date: formatDate(kept.since) })}
        </li>
        <li>
          {t('trace.keptExecutions', {
            rule: formatNumber(kept.executionsPerRule, 0),
            twin: formatNumber(kept.executionsPerTwin, 0),
          })}
        </li>
        <li>{t('trace.keptLetters', { max: formatNumber(kept.lettersPerConnector, 0) })}</li>
        <li>{t('trace.keptDuplicates', { count: kept.duplicateDays })}</li>
      </ul>
    </section>
  )
}
