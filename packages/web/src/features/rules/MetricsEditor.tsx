import { Button, Checkbox, Collapse, NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core'
import { IconCode, IconPlus } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeEditor } from '../../ui/code/CodeEditor.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { freeAlias, type MetricDraft, newMetric } from './draft.ts'
import { metricKinds, metricOperations } from './metrics/index.ts'
import type { RuleStates } from './ruleStates.tsx'
import classes from './rules.module.css'
import type { FaultText } from './useRuleForm.ts'

/** Maximum number of metrics, as in the contract. */
const metricsMax = 50

interface MetricsEditorProps {
  states: RuleStates
  metrics: readonly MetricDraft[]
  /** the rule is one of a twin, not of a template */
  ofTwins: boolean
  faultAt: FaultText
  onChange: (metrics: MetricDraft[]) => void
  /** a metric's alias changed; the conditions must follow */
  onRename: (metrics: MetricDraft[], from: string, to: string) => void
}

/** The rule's metrics: states under an alias, each with an operation over its last values or minutes. */
export function MetricsEditor({ states, metrics, ofTwins, faultAt, onChange, onRename }: MetricsEditorProps) {
  const { t } = useTranslation()
  const replace = (changed: MetricDraft) =>
    metrics.map((metric) => (metric.id === changed.id ? changed : metric))
  const rename = (metric: MetricDraft, alias: string, change: Partial<MetricDraft> = {}) => {
    const next = replace({ ...metric, ...change, alias })
    const shared = metrics.some((other) => other.id !== metric.id && other.alias === metric.alias)
    if (shared || metric.alias === '') onChange(next)
    else onRename(next, metric.alias, alias)
  }
  // A metric whose alias was not edited is named after the selected state.
  const choose = async (metric: MetricDraft, stateId: number | null) => {
    if (stateId === null || !isAutomatic(metric.alias)) return onChange(replace({ ...metric, stateId }))
    const key = await states.keyOf(stateId)
    const taken = metrics.filter((other) => other.id !== metric.id).map((other) => other.alias)
    rename(metric, freeAlias(key, taken), { stateId })
  }
  return (
    <div className={classes.entries}>
      {metrics.map((metric) => (
        <MetricRow
          key={metric.id}
          metric={metric}
          states={states}
          ofTwins={ofTwins}
          faultAt={(field) => faultAt(`metric.${metric.id}.${field}`)}
          onChange={(changed) => onChange(replace(changed))}
          onRename={(alias) => rename(metric, alias)}
          onChoose={(stateId) => void choose(metric, stateId)}
          {...(metrics.length > 1
            ? { onRemove: () => onChange(metrics.filter((other) => other.id !== metric.id)) }
            : {})}
        />
      ))}
      {metrics.length < metricsMax ? (
        <Button
          size="compact-sm"
          variant="subtle"
          style={{ justifySelf: 'start' }}
          leftSection={<Icon of={IconPlus} size={14} />}
          onClick={() =>
            onChange([
              ...metrics,
              newMetric(
                freeAlias(
                  String.fromCharCode(97 + (metrics.length % 26)),
                  metrics.map(({ alias }) => alias),
                ),
              ),
            ])
          }
        >
          {t('rules.addMetric')}
        </Button>
      ) : null}
    </div>
  )
}

/** New metrics start with single letters as aliases. */
function isAutomatic(alias: string): boolean {
  return /^[a-z](_\d+)?$/.test(alias) || alias === ''
}

const isOwn = (operation: MetricDraft['operation']) => metricKinds[operation].own !== undefined
const ownOperations = metricOperations.filter(isOwn)
const templateOperations = ownOperations.filter((operation) => !metricKinds[operation].ofTwins)
const stateOperations = metricOperations.filter((operation) => !isOwn(operation))

interface MetricRowProps {
  metric: MetricDraft
  states: RuleStates
  ofTwins: boolean
  faultAt: (field: string) => string | null
  onChange: (metric: MetricDraft) => void
  onRename: (alias: string) => void
  onChoose: (stateId: number | null) => void
  onRemove?: () => void
}

function MetricRow({
  metric,
  states,
  ofTwins,
  faultAt,
  onChange,
  onRename,
  onChoose,
  onRemove,
}: MetricRowProps) {
  const { t } = useTranslation()
  const [code, setCode] = useState(metric.transformer !== '')
  const { own } = metricKinds[metric.operation]
  const named = (operations: typeof metricOperations) =>
    operations.map((each) => ({ value: each, label: t(`rules.operations.${each}`) }))
  const operation = (
    <Select
      label={t('rules.operation')}
      allowDeselect={false}
      data={[
        { group: t('rules.ofState'), items: named(stateOperations) },
        { group: t('rules.ofOther'), items: named(ofTwins ? ownOperations : templateOperations) },
      ]}
      value={metric.operation}
      onChange={(chosen) => {
        if (chosen === null) return
        const next = chosen as MetricDraft['operation']
        const isMissing = metricKinds[next].needsWindow && metric.window === 'none'
        onChange({ ...metric, operation: next, window: isMissing ? 'minutes' : metric.window })
      }}
    />
  )
  return (
    <fieldset className={classes.entry} aria-label={t('rules.metricOf', { alias: metric.alias })}>
      <div className={classes.entryHead}>
        {own ? (
          operation
        ) : (
          <div>
            {states.pick({
              label: t('rules.state'),
              value: metric.stateId,
              onChange: onChoose,
              error: faultAt('stateId'),
            })}
          </div>
        )}
        <TextInput
          label={t('rules.alias')}
          required
          w={150}
          value={metric.alias}
          maxLength={50}
          onChange={(event) => onRename(event.currentTarget.value)}
          error={faultAt('alias')}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        {onRemove ? (
          <RemoveButton mt={27} label={t('rules.removeMetric', { alias: metric.alias })} onClick={onRemove} />
        ) : null}
      </div>
      {own ? (
        <Suspense>
          <own.Fields
            value={metric.own}
            onChange={(fields) => onChange({ ...metric, own: fields })}
            faultAt={faultAt}
          />
        </Suspense>
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          {operation}
          <Select
            label={t('rules.window')}
            allowDeselect={false}
            data={(['none', 'values', 'minutes'] as const).map((window) => ({
              value: window,
              label: t(`rules.windows.${window}`),
              disabled: window === 'none' && metricKinds[metric.operation].needsWindow,
            }))}
            value={metric.window}
            onChange={(window) =>
              onChange({ ...metric, window: (window ?? 'none') as MetricDraft['window'] })
            }
            error={faultAt('window')}
          />
          {metric.window === 'none' ? null : (
            <NumberInput
              label={t(`rules.amount.${metric.window}`)}
              min={1}
              max={metric.window === 'values' ? 10_000 : 527_040}
              allowDecimal={false}
              value={metric.amount}
              onChange={(amount) => onChange({ ...metric, amount: amount === '' ? 1 : Number(amount) })}
            />
          )}
        </SimpleGrid>
      )}
      <div className={classes.entryFoot}>
        <Checkbox
          label={t('rules.abortIfNull')}
          checked={metric.abortIfNull}
          onChange={(event) => onChange({ ...metric, abortIfNull: event.currentTarget.checked })}
        />
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          leftSection={<Icon of={IconCode} size={14} />}
          aria-expanded={code}
          onClick={() => setCode(!code)}
        >
          {t(code ? 'states.transformerHide' : 'states.transformerShow')}
        </Button>
      </div>
      <Collapse expanded={code}>
        <CodeEditor
          language="javascript"
          label={t('rules.transformerOf', { alias: metric.alias })}
          value={metric.transformer}
          onChange={(transformer) => onChange({ ...metric, transformer })}
          completions={[
            { label: 'value', detail: t('states.vars.value') },
            { label: '_', detail: 'lodash' },
          ]}
          height="110px"
        />
      </Collapse>
    </fieldset>
  )
}
