import type { PastRule } from '@leitstand/contract/rules/past'
import { pastLimits } from '@leitstand/contract/rules/past'
import { Alert, Button, Group, NumberInput, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { formatTimeShort } from '../../../lib/format.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { JobPanel } from '../../jobs/index.ts'
import { type RuleDraft, toDraft, toRuleInput } from '../draft.ts'
import { useExampleTwin } from '../ExampleTwin.tsx'
import { PastOutcome } from './PastOutcome.tsx'

const choices = [1, 7, 30]
const earlierMax = 10

interface PastPanelProps {
  draft: RuleDraft
  ready: boolean
  /** the twin of the rule */
  twinId: number
  /** the stored rule; absent: a new one */
  ruleId: number | undefined
  /** Takes over the rule of an earlier run. */
  onTake: (change: Partial<RuleDraft>) => void
}

/** Runs the draft over the last days, by a job that goes on when the sheet is closed, and shows the result. */
export default function PastPanel({ draft, ready, twinId: homeId, ruleId, onTake }: PastPanelProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [days, setDays] = useState(7)
  const [isOwn, setOwn] = useState(false)
  const [chosen, setChosen] = useState<number | null>(null)
  const { chosen: example = homeId, field } = useExampleTwin(draft, { twinId: homeId, ready })
  const earlier = useQuery(
    api.ddr.pastRuns.queryOptions({
      input: { dtwinId: example, ...(ruleId === undefined ? {} : { ruleId }), limit: earlierMax },
    }),
  )
  const runs = earlier.data?.items ?? []
  const open = runs.find(({ state }) => state === 'created' || state === 'inprogress')
  const jobId = chosen ?? open?.jobId ?? null
  const start = useMutation(
    api.ddr.runOnPast.mutationOptions({
      onSuccess: async ({ id }) => {
        setChosen(id)
        await cache.invalidateQueries({ queryKey: api.ddr.pastRuns.key() })
      },
    }),
  )
  const rule = pastRuleOf(draft, t('rules.past.untitled'))
  return (
    <Stack gap="sm">
      {field}
      <Group gap="sm" align="flex-end">
        <SegmentedControl
          aria-label={t('rules.past.period')}
          value={isOwn ? 'own' : String(days)}
          onChange={(value) => {
            setOwn(value === 'own')
            if (value !== 'own') setDays(Number(value))
          }}
          data={[
            ...choices.map((count) => ({ value: String(count), label: t('rules.past.days', { count }) })),
            { value: 'own', label: t('rules.past.otherPeriod') },
          ]}
        />
        {isOwn ? (
          <NumberInput
            w={110}
            aria-label={t('rules.past.dayCount')}
            suffix={` ${t('rules.past.dayUnit')}`}
            min={1}
            max={pastLimits.daysMax}
            allowDecimal={false}
            clampBehavior="strict"
            value={days}
            onChange={(value) => setDays(Math.max(1, Number(value) || 1))}
          />
        ) : null}
        <Button
          variant="default"
          leftSection={<Icon of={IconHistory} />}
          disabled={!ready || open !== undefined}
          loading={start.isPending}
          onClick={() =>
            start.mutate({ dtwinId: example, ...(ruleId === undefined ? {} : { ruleId }), days, rule })
          }
        >
          {t('rules.past.start')}
        </Button>
        {ready ? null : (
          <Text size="sm" c="dimmed">
            {t('rules.testNotReady')}
          </Text>
        )}
      </Group>
      {start.isError ? <ErrorText error={start.error} /> : null}
      {runs.length > 0 ? (
        <Select
          label={t('rules.past.earlier')}
          placeholder={t('rules.past.noneChosen')}
          clearable
          value={jobId === null ? null : String(jobId)}
          onChange={(value) => setChosen(value === null ? null : Number(value))}
          data={runs.map((each) => ({
            value: String(each.jobId),
            label: t('rules.past.earlierRun', {
              title: each.title,
              from: formatTimeShort(each.from),
              to: formatTimeShort(each.to),
            }),
          }))}
        />
      ) : null}
      {jobId === null ? null : <Run key={jobId} jobId={jobId} rule={rule} onTake={onTake} />}
    </Stack>
  )
}

function Run({ jobId, rule, onTake }: { jobId: number; rule: PastRule; onTake: PastPanelProps['onTake'] }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const run = useQuery(api.ddr.pastRun.queryOptions({ input: { jobId } }))
  const result = run.data?.result ?? null
  const isOther = run.data !== undefined && !isSame(run.data.rule, rule)
  return (
    <>
      {result === null ? (
        <JobPanel
          id={jobId}
          onChange={() => {
            void run.refetch()
            void cache.invalidateQueries({ queryKey: api.ddr.pastRuns.key() })
          }}
        />
      ) : null}
      {run.isError ? <ErrorText error={run.error} /> : null}
      {run.data && isOther ? (
        <Alert color="yellow" variant="light">
          <Text size="sm" mb={6}>
            {t('rules.past.isOther')}
          </Text>
          <Button
            variant="default"
            size="compact-md"
            onClick={() => {
              const source = { ...run.data.rule, active: true, pausedUntil: null, actions: [] }
              const { triggers, metrics, conditions, executionTimes, throttleHours } = toDraft(source)
              onTake({ triggers, metrics, conditions, executionTimes, throttleHours })
            }}
          >
            {t('rules.past.take')}
          </Button>
        </Alert>
      ) : null}
      {run.data && result !== null ? <PastOutcome run={run.data} result={result} /> : null}
      {result !== null && !isOther ? (
        <Group>
          <Button type="submit" variant="light">
            {t('rules.past.adopt')}
          </Button>
        </Group>
      ) : null}
    </>
  )
}

function pastRuleOf(draft: RuleDraft, untitled: string): PastRule {
  const { title, triggers, metrics, conditions, executionTimes, throttleHours } = toRuleInput(draft)
  return { title: title || untitled, triggers, metrics, conditions, executionTimes, throttleHours }
}

/** Whether two rules decide the same; their titles do not matter. */
function isSame(one: PastRule, other: PastRule): boolean {
  const text = (rule: PastRule) => JSON.stringify(sorted({ ...rule, title: '' }))
  return text(one) === text(other)
}

/** With the fields of all objects in the same order: the database stores them in another one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(
    fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]),
  )
}
