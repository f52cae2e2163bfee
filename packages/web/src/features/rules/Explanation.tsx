import type { Execution, Rule } from '@leitstand/contract/rules'
import { List, Stack, Text } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatDuration, formatValue } from '../../lib/format.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { BranchTree } from './BranchTree.tsx'
import { treeOf } from './conditions/script.ts'
import { asBranch, reasons } from './conditions/tree.ts'
import { Deliveries } from './Deliveries.tsx'
import { MailOutcomes } from './MailOutcomes.tsx'
import { Reminders } from './Reminders.tsx'
import classes from './rules.module.css'
import { useTwinNames } from './useTwinNames.ts'
import { causeText, detailText, metricNames, twinsOfCause, wordsOf } from './words.ts'

/**
 * Why a rule did or did not fire, in words: the deciding comparisons with their values at that time, the
 * actions, and the whole tree with a tick or a cross at every node.
 * @param rule names the metrics; null when it no longer exists
 */
export function Explanation({ execution, rule }: { execution: Execution; rule: Rule | null }) {
  const { t } = useTranslation()
  const words = wordsOf(t, rule ? metricNames(t, rule) : [])
  const twinName = useTwinNames(twinsOfCause(execution.cause))
  const branch = asBranch(execution.branch)
  const why = branch ? reasons(branch, treeOf(rule?.conditions), words) : []
  const missing = Object.entries(execution.inputs).filter(([, value]) => value === null)
  return (
    <Stack gap={12} className={classes.explanation ?? ''}>
      <div>
        <Text fw={550}>{t(`rules.because.${execution.result}`)}</Text>
        <Text size="sm" c="dimmed">
          {causeText(execution.cause, t, twinName)}
        </Text>
        {execution.error ? (
          <Text size="sm" c="var(--health-error)" className={classes.mono ?? ''}>
            {execution.error}
          </Text>
        ) : null}
        {execution.result === 'aborted' && missing.length > 0 ? (
          <Text size="sm">
            {t('rules.missing', {
              names: missing.map(([alias]) => words.operand({ metric: alias })).join(', '),
            })}
          </Text>
        ) : why.length > 0 ? (
          <List size="sm" spacing={2}>
            {[...new Set(why)].map((reason) => (
              <List.Item key={reason}>{reason}</List.Item>
            ))}
          </List>
        ) : null}
      </div>
      {execution.actions.length > 0 ? (
        <div>
          <Text size="xs" c="dimmed">
            {t('rules.actionsDone')}
          </Text>
          {execution.actions.map((action) =>
            action.mails ? (
              <MailOutcomes key={`${action.kind} ${action.detail}`} mails={action.mails} />
            ) : action.deliveries ? (
              <Deliveries
                key={`${action.kind} ${action.detail}`}
                kind={action.kind}
                deliveries={action.deliveries}
              />
            ) : (
              <div
                key={`${action.kind} ${action.detail}`}
                className={classes.done}
                data-sign={action.ok ? 'done' : 'failed'}
              >
                <Icon of={action.ok ? IconCheck : IconX} size={15} />
                <span>
                  {t(`rules.kinds.${action.kind}`)}
                  {action.detail ? `: ${detailText(action.detail, t)}` : ''}
                </span>
              </div>
            ),
          )}
        </div>
      ) : null}
      {execution.reminders ? <Reminders {...execution.reminders} /> : null}
      <div>
        <Text size="xs" c="dimmed">
          {t('rules.inputs')}
        </Text>
        <div className={classes.inputs}>
          {Object.entries(execution.inputs).map(([alias, value]) => (
            <span key={alias} className={classes.input}>
              <code>{alias}</code> {value === null ? t('rules.noValue') : formatValue(value)}
            </span>
          ))}
        </div>
      </div>
      {branch ? <BranchTree branch={branch} condition={treeOf(rule?.conditions)} words={words} /> : null}
      <Text size="xs" c="dimmed">
        {t('rules.took', { duration: formatDuration(execution.durationUs / 1000) })}
      </Text>
    </Stack>
  )
}
