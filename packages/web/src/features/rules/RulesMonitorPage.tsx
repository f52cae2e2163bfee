import type { Execution, Rule } from '@leitstand/contract/rules'
import { Button, Drawer, Switch, Text, Title } from '@mantine/core'
import { IconBell, IconCircleCheck, IconHierarchy3 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatDuration, formatTime } from '../../lib/format.ts'
import { thingPath } from '../../lib/recent.ts'
import { useCan } from '../../lib/session.ts'
import { tracePath } from '../../lib/trace.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { DetailTabs } from '../../ui/page/DetailPage.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Explanation } from './Explanation.tsx'
import { HomeLink } from './HomeLink.tsx'
import { homeOf, rulePath } from './home.ts'
import { failedActions } from './mailOutcomes.ts'
import { periodHours, periodStart } from './monitorInput.ts'
import { type Result, ResultBadge, results } from './Results.tsx'
import { Figures } from './RuleFigures.tsx'
import classes from './rules.module.css'
import { useToggleRule } from './useToggleRule.ts'
import { ruleSentence } from './words.ts'

const RuleTwins = lazy(() => import('./RuleTwins.tsx'))

/** Reload interval of visible execution lists. */
const refreshMs = 15_000

/** All rules and their executions, `/digitaltwin/rules-monitor`. */
export default function RulesMonitorPage() {
  const { t } = useTranslation()
  return (
    <>
      <Title order={1} mb={4}>
        {t('rules.monitor')}
      </Title>
      <Text c="dimmed" size="sm" mb="md" maw={720}>
        {t('rules.monitorText')}
      </Text>
      <DetailTabs
        tabs={[
          { key: 'rules', label: t('rules.heading'), content: <AllRules /> },
          { key: 'executions', label: t('rules.executions'), content: <Executions /> },
          { key: 'failed', label: t('rules.failed'), content: <Executions failed /> },
          { key: 'figures', label: t('rules.figures.tab'), content: <Figures /> },
        ]}
      />
      <ShownTwins />
    </>
  )
}

/** The devices of a rule of a template, `?twins=12`: it has no twin on whose page it could be. */
function ShownTwins() {
  const can = useCan()
  const [search, update] = useUrlSearch()
  const id = Number(one(search, 'twins'))
  const rule = useQuery({ ...api.ddr.get.queryOptions({ input: { id } }), enabled: id > 0 })
  if (!(id > 0) || !rule.data) return null
  return (
    <Suspense>
      <RuleTwins
        rule={rule.data as Rule}
        editable={can('DigitalTwin', 'write')}
        onClose={() => update({ twins: undefined })}
      />
    </Suspense>
  )
}

function AllRules() {
  const { t } = useTranslation()
  const can = useCan()
  const toggle = useToggleRule()
  const columns: ListColumn<Rule>[] = [
    {
      key: 'title',
      title: t('rules.title'),
      sortable: true,
      csv: (rule) => rule.title,
      render: (rule) => rule.title,
    },
    {
      key: 'sentence',
      title: t('rules.condition'),
      hideBelow: 'sm',
      csv: (rule) => ruleSentence(t, rule),
      render: (rule) => (
        <Text size="sm" c="dimmed" lineClamp={2}>
          {ruleSentence(t, rule)}
        </Text>
      ),
    },
    {
      key: 'twin',
      title: t('rules.belongsTo'),
      csv: (rule) => homeOf(rule).title,
      render: (rule) => (
        <>
          <HomeLink rule={rule} />
          {rule.twins ? (
            <Text size="xs" c="dimmed">
              {t('rules.many.mark', { count: rule.twins.total })}
            </Text>
          ) : null}
          {rule.twins && rule.twins.beyond > 0 ? (
            <Text size="xs" c="var(--health-warning)">
              {t('rules.many.beyond', { count: rule.twins.beyond })}
            </Text>
          ) : null}
        </>
      ),
    },
    {
      key: 'result',
      title: t('rules.lastResult'),
      hideBelow: 'xs',
      card: 'fact',
      csv: (rule) => (rule.lastResult ? t(`rules.results.${rule.lastResult}`) : ''),
      render: (rule) => (rule.lastResult ? <ResultBadge result={rule.lastResult} /> : '–'),
    },
    {
      key: 'lastFiredAt',
      title: t('rules.firedAt'),
      sortable: true,
      hideBelow: 'md',
      card: 'fact',
      csv: (rule) => (rule.lastFiredAt ? formatTime(rule.lastFiredAt) : ''),
      render: (rule) => <RelativeTime time={rule.lastFiredAt} empty={t('rules.never')} />,
    },
    {
      key: 'lastEvaluatedAt',
      title: t('rules.evaluatedAt'),
      sortable: true,
      optional: true,
      csv: (rule) => (rule.lastEvaluatedAt ? formatTime(rule.lastEvaluatedAt) : ''),
      render: (rule) => <RelativeTime time={rule.lastEvaluatedAt} empty={t('rules.never')} />,
    },
    {
      key: 'active',
      title: t('rules.active'),
      align: 'right',
      csv: (rule) => t(rule.active ? 'common.yes' : 'common.no'),
      render: (rule) => (
        <Switch
          aria-label={t('rules.activeOf', { title: rule.title })}
          checked={rule.active}
          disabled={!can('DigitalTwin', 'write') || rule.fixed || toggle.isPending}
          onChange={() => toggle.mutate(rule)}
          style={{ display: 'inline-block' }}
        />
      ),
    },
  ]
  return (
    <ListTable<Rule>
      name="rules"
      columns={columns}
      filters={[
        {
          key: 'active',
          label: t('rules.status'),
          multiple: false,
          options: [
            { value: '1', label: t('rules.isActive') },
            { value: '0', label: t('rules.isInactive') },
          ],
        },
      ]}
      query={({ offset, limit, search, accountIds, orderBy, filters }) =>
        api.ddr.overviewList.queryOptions({
          input: {
            offset,
            limit,
            ...(search ? { search } : {}),
            ...(accountIds ? { accountIds } : {}),
            ...(orderBy ? { orderBy: orderBy as 'title' } : {}),
            ...(filters.active?.[0] ? { active: filters.active[0] === '1' } : {}),
          },
        })
      }
      rowKey={(rule) => rule.id}
      rowHref={(rule) => rulePath(rule.id, rule)}
      isDimmed={(rule) => !rule.active}
      searchPlaceholder={t('rules.searchPlaceholder')}
      withAccounts
      defaultSort="title"
      empty={
        <EmptyState
          icon={IconBell}
          title={t('rules.empty')}
          text={t('rules.emptyMonitor')}
          action={
            <Button
              component="a"
              href="#/digitaltwin-mgmt"
              variant="default"
              leftSection={<Icon of={IconHierarchy3} />}
            >
              {t('rules.toTwins')}
            </Button>
          }
        />
      }
    />
  )
}

function Executions({ failed = false }: { failed?: boolean }) {
  const { t } = useTranslation()
  const [shown, setShown] = useState<Execution | null>(null)
  return (
    <>
      <ListTable<Execution>
        name={failed ? 'failedExecutions' : 'executions'}
        columns={[
          {
            key: 'rule',
            title: t('rules.rule'),
            csv: (execution) => execution.ruleTitle,
            render: (execution) => (
              <button type="button" className={classes.linkButton} onClick={() => setShown(execution)}>
                {execution.ruleTitle}
              </button>
            ),
          },
          {
            key: 'result',
            title: t('rules.result'),
            csv: (execution) => t(`rules.results.${execution.result}`),
            render: (execution) => <ResultBadge result={execution.result} />,
          },
          {
            key: 'twin',
            title: t('rules.belongsTo'),
            hideBelow: 'xs',
            csv: (execution) => execution.twinTitle,
            render: (execution) => execution.twinTitle,
          },
          {
            key: 'error',
            title: t('rules.error'),
            hideBelow: 'sm',
            csv: (execution) => execution.error ?? failedActions(t, execution.actions),
            render: (execution) => (
              <Text size="sm" c="dimmed" lineClamp={1}>
                {execution.error ?? failedActions(t, execution.actions)}
              </Text>
            ),
          },
          {
            key: 'at',
            title: t('rules.at'),
            csv: (execution) => formatTime(execution.at),
            render: (execution) => <RelativeTime time={execution.at} />,
          },
          {
            key: 'duration',
            title: t('rules.duration'),
            optional: true,
            align: 'right',
            csv: (execution) => execution.durationUs / 1000,
            render: (execution) => formatDuration(execution.durationUs / 1000),
          },
        ]}
        filters={[
          ...(failed
            ? []
            : [
                {
                  key: 'result',
                  label: t('rules.result'),
                  options: results.map((result) => ({ value: result, label: t(`rules.results.${result}`) })),
                },
              ]),
          {
            key: 'period',
            label: t('rules.period'),
            multiple: false,
            options: periodHours.map((hours) => ({
              value: String(hours),
              label: t(`rules.periods.${hours}`),
            })),
          },
        ]}
        query={({ offset, limit, search, accountIds, filters }) => {
          const from = periodStart(filters.period?.[0], Date.now())
          const input = {
            offset,
            limit,
            ...(search ? { search } : {}),
            ...(accountIds ? { accountIds } : {}),
            ...(from ? { from } : {}),
          }
          if (failed) return api.ddr.errornousExecutions.queryOptions({ input, refetchInterval: refreshMs })
          return api.ddr.executions.queryOptions({
            input: { ...input, ...(filters.result ? { results: [...filters.result] as Result[] } : {}) },
            refetchInterval: refreshMs,
          })
        }}
        rowKey={(execution) => execution.id}
        searchPlaceholder={t('rules.searchPlaceholder')}
        withAccounts
        empty={
          failed ? (
            <EmptyState
              icon={IconCircleCheck}
              title={t('rules.noneFailed')}
              text={t('rules.noneFailedText')}
            />
          ) : (
            <EmptyState icon={IconBell} title={t('rules.noExecutions')} text={t('rules.noExecutionsText')} />
          )
        }
      />
      {shown ? <ExecutionSheet execution={shown} onClose={() => setShown(null)} /> : null}
    </>
  )
}

/** One execution with its reasons; metric names come from the current rule. */
function ExecutionSheet({ execution, onClose }: { execution: Execution; onClose: () => void }) {
  const { t } = useTranslation()
  const rule = useQuery(api.ddr.get.queryOptions({ input: { id: execution.ruleId } }))
  return (
    <Drawer opened onClose={onClose} position="right" size={620} title={execution.ruleTitle}>
      <Text size="sm" c="dimmed" mb="md">
        {execution.twinTitle} · {formatTime(execution.at)}
      </Text>
      <ResultBadge result={execution.result} />
      <div style={{ height: 12 }} />
      {rule.isPending ? (
        <Loading lines={4} />
      ) : (
        <Explanation execution={execution} rule={(rule.data as Rule | undefined) ?? null} />
      )}
      {rule.isError ? <ErrorState error={rule.error} compact /> : null}
      <Text size="sm" mt="md">
        <RouterLink to={tracePath({ execution: execution.id })}>{t('trace.follow')}</RouterLink>
      </Text>
      {rule.data ? (
        <Text size="sm" mt="md">
          <RouterLink
            to={`${thingPath(rule.data.twinCategory, execution.dtwinId)}?tab=rules&rule=${execution.ruleId}`}
          >
            {t('rules.openRule')}
          </RouterLink>
        </Text>
      ) : null}
    </Drawer>
  )
}
