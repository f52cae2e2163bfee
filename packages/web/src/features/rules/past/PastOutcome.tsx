import type { PastLine, PastMoment, PastResult, PastRun } from '@leitstand/contract/rules/past'
import { Accordion, Button, Select, Stack, Text, Title } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDate, formatNumber, formatTime, formatValue } from '../../../lib/format.ts'
import { Chart, type ChartSeries } from '../../../ui/chart/Chart.tsx'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import { BranchTree } from '../BranchTree.tsx'
import { treeOf } from '../conditions/script.ts'
import { asBranch } from '../conditions/tree.ts'
import { results } from '../Results.tsx'
import rulesClasses from '../rules.module.css'
import { useTwinNames } from '../useTwinNames.ts'
import { causeText, twinsOfCause, wordsOf } from '../words.ts'
import { type ComparedLine, linesOf, marksOf, newestFirst, runsOf } from './moments.ts'
import classes from './past.module.css'

const momentsShown = 20

interface PastOutcomeProps {
  run: PastRun
  result: PastResult
}

/** When the rule would have fired, beside the stored rule and what it really did. */
export function PastOutcome({ run, result }: PastOutcomeProps) {
  const { t } = useTranslation()
  const lines = linesOf(result)
  const { fired } = result.draft.results
  return (
    <Stack gap="md">
      <div aria-live="polite">
        <Text fw={600}>{t('rules.past.fired', { count: fired })}</Text>
        <Text size="sm" c="dimmed">
          {t('rules.past.between', { from: formatTime(result.from), to: formatTime(result.to) })}
        </Text>
        <Remarks run={run} result={result} />
      </div>
      <Compared lines={lines} />
      <MetricChart result={result} />
      <TimeLines lines={lines} result={result} />
      <Moments line={result.draft} run={run} />
    </Stack>
  )
}

/** What the result does not tell. */
function Remarks({ run, result }: PastOutcomeProps) {
  const { t } = useTranslation()
  const { triggers, metrics, tree } = run.notReplayed
  const { stopped, draft } = result
  const remarks = [
    ...(stopped === null
      ? []
      : [t(`rules.past.stopped.${stopped.reason}`, { time: formatTime(stopped.at) })]),
    ...(triggers.length === 0
      ? []
      : [
          t('rules.past.noTriggers', {
            names: triggers.map((kind) => t(`rules.triggers.kinds.${kind}`)).join(', '),
          }),
        ]),
    ...(metrics.length === 0 ? [] : [t('rules.past.presentMetrics', { names: metrics.join(', ') })]),
    ...(tree.length === 0 ? [] : [t('rules.past.tree', { names: tree.join(', ') })]),
    ...(run.ruleId !== null && result.stored === null ? [t('rules.past.storedHidden')] : []),
    ...(draft.error === null ? [] : [t('rules.past.firstError', { error: draft.error })]),
  ]
  return remarks.map((text) => (
    <Text key={text} size="sm" mt={4} className={rulesClasses.explanation ?? ''}>
      {text}
    </Text>
  ))
}

function Compared({ lines }: { lines: readonly ComparedLine[] }) {
  const { t } = useTranslation()
  const shown = results.filter(
    (result) => lines.some(({ counts }) => (counts[result] ?? 0) > 0) || result === 'fired',
  )
  return (
    <SimpleTable
      label={t('rules.past.counts')}
      rows={lines}
      rowKey={({ key }) => key}
      spacing={4}
      columns={[
        { key: 'line', title: t('rules.past.line'), render: ({ key }) => t(`rules.past.lines.${key}`) },
        ...shown.map((result) => ({
          key: result,
          title: t(`rules.results.${result}`),
          align: 'right' as const,
          className: 'tabular',
          render: ({ counts }: ComparedLine) => {
            const count = counts[result]
            return count === null ? '–' : formatNumber(count, 0)
          },
        })),
      ]}
    />
  )
}

function MetricChart({ result }: { result: PastResult }) {
  const { t } = useTranslation()
  const [wanted, setWanted] = useState<string | null>(null)
  const { charts, draft, from, to } = result
  const chart = charts.find(({ alias }) => alias === wanted) ?? charts[0]
  const series = useMemo((): ChartSeries[] => {
    if (chart === undefined) return []
    const { alias, points } = chart
    const marks = marksOf(draft, alias)
    return [
      { key: alias, name: alias, points },
      ...(marks.length === 0
        ? []
        : [{ key: 'fired', name: t('rules.past.wouldHaveFired'), points: marks, marks: true }]),
    ]
  }, [chart, draft, t])
  const range = useMemo(() => ({ fromMs: Date.parse(from), toMs: Date.parse(to) }), [from, to])
  if (chart === undefined) return null
  return (
    <div>
      {charts.length > 1 ? (
        <Select
          w={240}
          mb={6}
          label={t('rules.metric')}
          allowDeselect={false}
          value={chart.alias}
          onChange={setWanted}
          data={charts.map(({ alias }) => alias)}
        />
      ) : null}
      <Chart kind="line" series={series} title={chart.alias} height="220px" range={range} />
    </div>
  )
}

/** One strip per line over the whole period, marked where it fired, and lightly where it was paused. */
function TimeLines({ lines, result }: { lines: readonly ComparedLine[]; result: PastResult }) {
  const { t } = useTranslation()
  const middle = (Date.parse(result.from) + Date.parse(result.to)) / 2
  return (
    <div className={classes.lines}>
      {lines.map(({ key, fired, paused, counts }) => (
        <div key={key} className={classes.line}>
          <span>{t(`rules.past.lines.${key}`)}</span>
          <svg
            className={classes.strip}
            data-line={key}
            viewBox={`0 0 ${fired.length} 1`}
            preserveAspectRatio="none"
            role="img"
            aria-label={t('rules.past.lineFired', {
              line: t(`rules.past.lines.${key}`),
              count: counts.fired ?? 0,
            })}
          >
            {runsOf(paused).map(({ start, length }) => (
              <rect key={`paused ${start}`} data-paused x={start} y={0} width={length} height={1} />
            ))}
            {runsOf(fired).map(({ start, length }) => (
              <rect key={start} x={start} y={0} width={length} height={1} />
            ))}
          </svg>
        </div>
      ))}
      <div className={classes.axis} aria-hidden>
        <span>{formatDate(result.from)}</span>
        <span>{formatDate(middle)}</span>
        <span>{formatDate(result.to)}</span>
      </div>
    </div>
  )
}

function Moments({ line, run }: { line: PastLine; run: PastRun }) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(momentsShown)
  const moments = newestFirst(line.moments)
  const total = line.results.fired
  if (moments.length === 0) return null
  // Two evaluations may be at the same time.
  const numbered = moments.map((moment, index) => ({ moment, number: moments.length - index }))
  return (
    <div>
      <Title order={4} mb={6}>
        {t('rules.past.moments')}
      </Title>
      {total > moments.length ? (
        <Text size="sm" c="dimmed" mb={6}>
          {t('rules.past.newest', { count: moments.length })}
        </Text>
      ) : null}
      <Accordion variant="separated" chevronPosition="left">
        {numbered.slice(0, shown).map(({ number, moment }) => (
          <Accordion.Item key={number} value={String(number)}>
            <Accordion.Control>
              <Text span size="sm" className="tabular">
                {formatTime(moment.at)}
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Reasons moment={moment} run={run} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {moments.length > shown ? (
        <Button variant="default" fullWidth mt="sm" onClick={() => setShown(shown + momentsShown)}>
          {t('rules.older')}
        </Button>
      ) : null}
    </div>
  )
}

function Reasons({ moment, run }: { moment: PastMoment; run: PastRun }) {
  const { t } = useTranslation()
  const { inputs, cause } = moment
  const twinName = useTwinNames(twinsOfCause(cause))
  const branch = asBranch(moment.branch)
  const words = wordsOf(
    t,
    run.rule.metrics.map(({ alias }) => ({ alias })),
  )
  return (
    <Stack gap={10} className={rulesClasses.explanation ?? ''}>
      <Text size="sm" c="dimmed">
        {causeText(cause, t, twinName)}
      </Text>
      {inputs === null ? (
        <Text size="sm">{t('rules.past.leftOut')}</Text>
      ) : (
        <div className={rulesClasses.inputs}>
          {Object.entries(inputs).map(([alias, value]) => (
            <span key={alias} className={rulesClasses.input}>
              <code>{alias}</code> {value === null ? t('rules.noValue') : formatValue(value)}
            </span>
          ))}
        </div>
      )}
      {branch ? <BranchTree branch={branch} condition={treeOf(run.rule.conditions)} words={words} /> : null}
    </Stack>
  )
}
