import { Group, NumberInput, SimpleGrid, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import { type ReactNode, Suspense, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { onDemand } from '../../lib/onDemand.ts'
import { EditorSheet } from '../../ui/forms/EditorSheet.tsx'
import { ActionsEditor } from './ActionsEditor.tsx'
import { ConditionsEditor } from './ConditionsEditor.tsx'
import { type RuleDraft, toMetrics } from './draft.ts'
import { MetricsEditor } from './MetricsEditor.tsx'
import { metricKinds } from './metrics/index.ts'
import { PauseField } from './PauseField.tsx'
import type { RuleStates } from './ruleStates.tsx'
import classes from './rules.module.css'
import { checkedText, ruleSummary, twinsOfMany } from './summary.ts'
import { Tester } from './Tester.tsx'
import { TriggersEditor } from './TriggersEditor.tsx'
import { fromTriggerDraft, triggersForMany, triggersPhrase, twinsOfTriggers } from './triggers/index.ts'
import { useRuleForm } from './useRuleForm.ts'
import { useTwinNames } from './useTwinNames.ts'
import { triggerWords } from './words.ts'

const TimesEditor = onDemand(() => import('./executionTimes/TimesEditor.tsx'))
const ManyFields = onDemand(() => import('./ManyFields.tsx'))
const PastPanel = onDemand(() => import('./past/PastPanel.tsx'))

interface RuleSheetProps {
  title: string
  start: RuleDraft
  /** the stored rule being edited */
  ruleId?: number
  /** whose rule it is */
  accountId: number
  /** the twin or device it is on; absent: a template */
  objectId?: number
  states: RuleStates
  /** the draft can be tested on current values: its states exist */
  canTest: boolean
  saveLabel: string
  /** Stores a valid draft, or keeps it for later; if it throws, the sheet stays open and shows the error. */
  store: (draft: RuleDraft) => Promise<void>
  onClose: () => void
}

/** Sheet with the form of a rule in steps: metrics, triggers, conditions, times, actions, test. */
export default function RuleSheet({ start, states, store, onClose, ...sheet }: RuleSheetProps) {
  const { t } = useTranslation()
  const host = useRef<HTMLFormElement>(null)
  const form = useRuleForm({ start, store, onClose, host })
  const { draft, set, rename, faults, faultAt, tried, dirty, busy, failure, save } = form
  const aliases = draft.metrics.map((metric) => metric.alias)
  const twinName = useTwinNames([...twinsOfTriggers(draft.triggers), ...twinsOfMany(draft.many)])
  let steps = 0
  const number = () => ++steps
  return (
    <EditorSheet
      title={sheet.title}
      size={780}
      saveLabel={sheet.saveLabel}
      dirty={dirty}
      busy={busy}
      failure={failure}
      note={
        tried && faults.length > 0 ? (
          <Text size="sm" c="var(--health-error)" role="alert">
            {t('rules.incomplete', { count: faults.length })}
          </Text>
        ) : null
      }
      onSave={() => void save()}
      onClose={onClose}
      formRef={host}
    >
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={t('rules.title')}
            required
            data-autofocus
            value={draft.title}
            onChange={(event) => set({ title: event.currentTarget.value })}
            error={faultAt('title')}
            maxLength={200}
          />
          <Switch
            mt={{ base: 0, xs: 28 }}
            label={t('rules.active')}
            description={t('rules.activeHint')}
            checked={draft.active}
            onChange={(event) => set({ active: event.currentTarget.checked })}
          />
        </SimpleGrid>
        {sheet.canTest ? (
          <PauseField value={draft.pausedUntil} onChange={(pausedUntil) => set({ pausedUntil })} />
        ) : null}
        {sheet.objectId === undefined ? null : (
          <Step number={number()} title={t('rules.steps.twins')} hint={t('rules.steps.twinsHint')}>
            <Suspense>
              <ManyFields
                value={draft.many}
                onChange={(many) =>
                  set(many === null ? { many } : { many, triggers: triggersForMany(draft.triggers) })
                }
                objectId={sheet.objectId}
                metrics={faults.some(({ at }) => at.startsWith('metric')) ? [] : toMetrics(draft.metrics)}
              />
            </Suspense>
            <FaultLine text={faultAt('many')} />
          </Step>
        )}
        <Step number={number()} title={t('rules.steps.metrics')} hint={t('rules.steps.metricsHint')}>
          <MetricsEditor
            states={states}
            metrics={draft.metrics}
            ofTwins={sheet.objectId !== undefined}
            faultAt={faultAt}
            onChange={(metrics) => set({ metrics })}
            onRename={rename}
          />
        </Step>
        <Step number={number()} title={t('rules.steps.triggers')} hint={t('rules.steps.triggersHint')}>
          <TriggersEditor
            triggers={draft.triggers}
            aliases={aliases}
            canWatchRules={sheet.canTest}
            isForMany={draft.many !== null}
            faultAt={faultAt}
            onChange={(triggers) => set({ triggers })}
          />
          <p className={classes.sentence} aria-live="polite">
            {checkedText(
              t,
              triggersPhrase(draft.triggers.map(fromTriggerDraft), triggerWords(t, [], twinName)),
            )}
            .
          </p>
          <FaultLine text={faultAt('triggers')} />
        </Step>
        <Step number={number()} title={t('rules.steps.conditions')} hint={t('rules.steps.conditionsHint')}>
          <ConditionsEditor
            value={draft.conditions}
            onChange={(conditions) => set({ conditions })}
            aliases={aliases}
          />
          <FaultLine text={faultAt('conditions')} />
        </Step>
        <Step number={number()} title={t('rules.steps.times')} hint={t('rules.steps.timesHint')}>
          <Suspense>
            <TimesEditor
              value={draft.executionTimes}
              onChange={(executionTimes) => set({ executionTimes })}
            />
          </Suspense>
          <FaultLine text={faultAt('executionTimes')} />
        </Step>
        <Step number={number()} title={t('rules.steps.actions')} hint={t('rules.steps.actionsHint')}>
          <ActionsEditor
            ruleId={sheet.ruleId}
            accountId={sheet.accountId}
            objectId={sheet.objectId}
            states={states}
            actions={draft.actions}
            aliases={aliases}
            draft={draft}
            faultAt={faultAt}
            onChange={(actions) => set({ actions })}
          />
          <FaultLine text={faultAt('actions')} />
          <NumberInput
            mt="sm"
            w={280}
            label={t('rules.throttle')}
            description={t('rules.throttleHint')}
            min={0}
            max={8784}
            decimalSeparator={t('common.decimal')}
            allowedDecimalSeparators={[',', '.']}
            value={draft.throttleHours}
            onChange={(value) => set({ throttleHours: value === '' ? 0 : Number(value) })}
          />
        </Step>
        <p className={classes.sentence} aria-live="polite">
          {ruleSummary(
            t,
            {
              ...draft,
              twinTitle: '',
              triggers: draft.triggers.map(fromTriggerDraft),
              metrics: draft.metrics.map(({ alias, operation, window, amount, own }) =>
                operation === 'related'
                  ? { alias, ...metricKinds.related.own?.toInput(own) }
                  : {
                      alias,
                      operation,
                      ...(window === 'minutes' ? { lastMinutes: amount } : { lastValues: amount }),
                    },
              ),
            },
            twinName,
          )}
        </p>
        {sheet.canTest ? (
          <Step number={number()} title={t('rules.steps.test')} hint={t('rules.steps.testHint')}>
            <Tester
              draft={draft}
              twinId={sheet.objectId}
              ready={!faults.some((fault) => !fault.at.startsWith('action'))}
            />
          </Step>
        ) : null}
        {sheet.canTest && sheet.objectId !== undefined ? (
          <Step number={number()} title={t('rules.steps.past')} hint={t('rules.steps.pastHint')}>
            <Suspense>
              <PastPanel
                draft={draft}
                twinId={sheet.objectId}
                ruleId={sheet.ruleId}
                ready={!faults.some(({ at }) => at !== 'title' && !at.startsWith('action'))}
                onTake={set}
              />
            </Suspense>
          </Step>
        ) : null}
      </Stack>
    </EditorSheet>
  )
}

function Step(props: { number: number; title: string; hint: string; children: ReactNode }) {
  return (
    <section className={classes.step}>
      <Group gap={10} wrap="nowrap" align="flex-start" mb="sm">
        <span className={classes.stepNumber} aria-hidden>
          {props.number}
        </span>
        <div>
          <Title order={3}>{props.title}</Title>
          <Text size="sm" c="dimmed">
            {props.hint}
          </Text>
        </div>
      </Group>
      {props.children}
    </section>
  )
}

function FaultLine({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <Text size="sm" c="var(--health-error)" role="alert" data-fault tabIndex={-1}>
      {text}
    </Text>
  )
}
