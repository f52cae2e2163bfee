import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime, formatValue } from '../../lib/format.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
import { BranchTree } from './BranchTree.tsx'
import { treeOf } from './conditions/script.ts'
import { asBranch } from './conditions/tree.ts'
import { type RuleDraft, toMetrics } from './draft.ts'
import { useExampleTwin } from './ExampleTwin.tsx'
import classes from './rules.module.css'
import { readInput } from './testInput.ts'
import { wordsOf } from './words.ts'

/** Evaluates the draft on current or typed values, without running its actions. */
interface TesterProps {
  draft: RuleDraft
  ready: boolean
  /** the twin of the rule */
  twinId: number | undefined
}

export function Tester({ draft, ready, twinId }: TesterProps) {
  const { t } = useTranslation()
  const [own, setOwn] = useState<Readonly<Record<string, string>>>({})
  const { chosen, field } = useExampleTwin(draft, { twinId, ready })
  const run = useMutation(api.ddr.testConditions.mutationOptions())
  const test = () => {
    const inputs = Object.fromEntries(
      Object.entries(own)
        .filter(
          ([alias, text]) => text.trim() !== '' && draft.metrics.some((metric) => metric.alias === alias),
        )
        .map(([alias, text]) => [alias, readInput(text)]),
    )
    run.mutate({
      metrics: toMetrics(draft.metrics),
      conditions: draft.conditions,
      ...(chosen === undefined ? {} : { dtwinId: chosen }),
      ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
    })
  }
  const answer = run.data
  const branch = answer ? asBranch(answer.branch) : null
  const words = wordsOf(
    t,
    draft.metrics.map(({ alias }) => ({ alias })),
  )
  return (
    <Stack gap="sm">
      {field}
      <SimpleTable
        label={t('rules.metrics')}
        rows={draft.metrics}
        rowKey={({ id }) => id}
        spacing={4}
        columns={[
          { key: 'alias', title: t('rules.metric'), className: classes.mono, render: ({ alias }) => alias },
          {
            key: 'try',
            title: t('rules.tryValue'),
            render: ({ alias }) => (
              <TextInput
                size="xs"
                aria-label={t('rules.tryValueOf', { alias })}
                placeholder={t('rules.currentValue')}
                value={own[alias] ?? ''}
                onChange={(event) => {
                  const text = event.currentTarget.value
                  setOwn((before) => ({ ...before, [alias]: text }))
                }}
              />
            ),
          },
          {
            key: 'used',
            title: t('rules.usedValue'),
            align: 'right',
            className: 'tabular',
            render: ({ alias }) =>
              answer && alias in answer.inputs
                ? answer.inputs[alias] === null
                  ? t('rules.noValue')
                  : formatValue(answer.inputs[alias])
                : '–',
          },
        ]}
      />
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<Icon of={IconPlayerPlay} />}
          onClick={test}
          loading={run.isPending}
          disabled={!ready}
        >
          {t('rules.test')}
        </Button>
        {ready ? null : (
          <Text size="sm" c="dimmed">
            {t('rules.testNotReady')}
          </Text>
        )}
        <span aria-live="polite">
          {answer ? (
            <StatusBadge
              tone={answer.aborted ? 'warning' : answer.met ? 'ok' : 'unknown'}
              label={t(
                answer.aborted ? 'rules.wouldAbort' : answer.met ? 'rules.wouldFire' : 'rules.wouldNotFire',
              )}
            />
          ) : null}
        </span>
      </Group>
      {answer?.dueAt && !answer.aborted ? (
        <Text size="sm">{t('rules.wouldWait', { time: formatTime(answer.dueAt) })}</Text>
      ) : null}
      {run.isError ? <ErrorText error={run.error} /> : null}
      {branch ? <BranchTree branch={branch} condition={treeOf(draft.conditions)} words={words} /> : null}
    </Stack>
  )
}
