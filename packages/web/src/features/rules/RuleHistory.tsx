import type { Execution, Rule } from '@leitstand/contract/rules'
import { Accordion, Button, Chip, Drawer, Group, Text } from '@mantine/core'
import { IconHistoryOff } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'
import { tracePath } from '../../lib/trace.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Explanation } from './Explanation.tsx'
import { type Result, ResultBadge, results } from './Results.tsx'
import { ruleSentence } from './words.ts'

const pageSize = 30
/** Maximum pages kept; to look further back, users filter by result. */
const pagesMax = 20

/** Reload interval while a mail has not been sent yet. */
const waitingMs = 4_000

function hasWaitingMail({ items }: { items: readonly Execution[] }): boolean {
  return items.some(({ actions }) =>
    actions.some(({ mails = [], deliveries = [] }) =>
      [...mails, ...deliveries].some(({ outcome }) => outcome === 'queued'),
    ),
  )
}

/** Executions of a rule, newest first and live, each with the reason in words. */
export function RuleHistory({
  rule,
  objectId,
  onClose,
}: {
  rule: Rule
  /** the twin or device whose page it is: elsewhere, a rule for many shows only what it did there */
  objectId: number
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [wanted, setWanted] = useState<string[]>([])
  const cache = useQueryClient()
  const queryKey = ['rule-history', rule.id, objectId, wanted]
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: 0,
    queryFn: ({ pageParam }) =>
      client.ddr.executionHistory({
        id: rule.id,
        ...(rule.many && rule.dtwinId !== objectId ? { dtwinId: objectId } : {}),
        offset: pageParam,
        limit: pageSize,
        ...(wanted.length > 0 ? { results: wanted as Result[] } : {}),
      }),
    getNextPageParam: ({ offset, total }) => (offset + pageSize < total ? offset + pageSize : undefined),
    maxPages: pagesMax,
    // A mail leaves a moment after its execution was recorded.
    refetchInterval: ({ state }) => (state.data?.pages.some(hasWaitingMail) ? waitingMs : false),
  })
  useLive(`rule:${rule.id}`, (message) => {
    if (message.kind === 'execution' || message.kind === 'resync') void reread(cache, queryKey)
  })
  // A page that was read again may have shifted by some rows: show each execution once.
  const executions = [
    ...new Map(
      (query.data?.pages ?? []).flatMap((page) => page.items as Execution[]).map((each) => [each.id, each]),
    ).values(),
  ]
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={620}
      title={t('rules.historyTitle', { title: rule.title })}
    >
      <Text size="sm" c="dimmed" mb="sm">
        {t('rules.ifSentence', { condition: ruleSentence(t, rule) })}
      </Text>
      <Chip.Group multiple value={wanted} onChange={setWanted}>
        <Group gap={6} mb="md" role="group" aria-label={t('rules.filterResults')}>
          {results.map((result) => (
            <Chip key={result} value={result} size="xs" variant="outline">
              {t(`rules.results.${result}`)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : !query.data ? (
        <Loading lines={8} />
      ) : executions.length === 0 ? (
        <EmptyState
          icon={IconHistoryOff}
          title={t(wanted.length > 0 ? 'list.nothingMatches' : 'rules.noExecutions')}
          text={wanted.length > 0 ? undefined : t('rules.noExecutionsText')}
          compact
        />
      ) : (
        <ExecutionList executions={executions} ruleOf={() => rule} />
      )}
      {query.hasNextPage ? (
        <Button
          variant="default"
          fullWidth
          mt="sm"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('rules.older')}
        </Button>
      ) : null}
    </Drawer>
  )
}

function ExecutionList(props: { executions: Execution[]; ruleOf: (execution: Execution) => Rule | null }) {
  const { t } = useTranslation()
  return (
    <Accordion variant="separated" chevronPosition="left">
      {props.executions.map((execution) => (
        <Accordion.Item key={execution.id} value={String(execution.id)}>
          <Accordion.Control>
            <Group gap="sm" justify="space-between" wrap="nowrap">
              <Group gap="sm" wrap="nowrap">
                <ResultBadge result={execution.result} />
                <Text span size="sm" className="tabular">
                  {formatTime(execution.at)}
                </Text>
                {props.ruleOf(execution)?.many ? (
                  <Text span size="sm" truncate>
                    {execution.twinTitle}
                  </Text>
                ) : null}
              </Group>
              <Text span size="xs" c="dimmed" visibleFrom="xs">
                <RelativeTime time={execution.at} />
              </Text>
            </Group>
          </Accordion.Control>
          <Accordion.Panel>
            <Explanation execution={execution} rule={props.ruleOf(execution)} />
            <RouterLink to={tracePath({ execution: execution.id })} size="sm">
              {t('trace.follow')}
            </RouterLink>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
}
