import type {
  AcrossOperation,
  ExecutionCause,
  Operand,
  Relative,
  Rule,
  RuleConditions,
} from '@leitstand/contract/rules'
import type { TFunction } from 'i18next'
import { formatTime, formatValue, localeTag } from '../../lib/format.ts'
import { isScript } from './conditions/script.ts'
import { sentence } from './conditions/tree.ts'
import type { Words } from './conditions/types.ts'
import type { TriggerWords } from './triggers/types.ts'
import { weekdaysText } from './weekdays.ts'

interface Named {
  alias: string
  /** Shown instead of the alias. */
  title?: string
  unit?: string
}

/**
 * The words of conditions in the user's language.
 * @param metrics names and units of the metrics; an alias without an entry is shown as is
 */
export function wordsOf(t: TFunction, metrics: readonly Named[]): Words {
  const byAlias = new Map(metrics.map((metric) => [metric.alias, metric]))
  const name = (alias: string) => byAlias.get(alias)?.title ?? alias
  const constant = (value: unknown) =>
    typeof value === 'string' ? t('rules.quoted', { text: value }) : formatValue(value)
  return {
    text: (key, values) => t(key, values ?? {}),
    compare: (op, left, right) => t(`rules.compare.${op}`, { left, right }),
    compareWas: (op, left, right) => t(`rules.compareWas.${op}`, { left, right }),
    compareNot: (op, left, right) => t(`rules.compareNot.${op}`, { left, right }),
    operand: (operand) => ('metric' in operand ? name(operand.metric) : constant(operand.value)),
    valued: (operand: Operand | undefined, value) => {
      if (!operand || !('metric' in operand)) return constant(value)
      const shown =
        value === null || value === undefined
          ? t('rules.noValue')
          : formatValue(value, byAlias.get(operand.metric)?.unit)
      return `${name(operand.metric)} (${shown})`
    },
    time: formatTime,
  }
}

/** Data for a rule's sentence. */
export interface NamedRule extends Pick<Rule, 'conditions' | 'twinTitle'> {
  /** those without a state are shown under their alias */
  metrics: readonly NamedMetric[]
}

interface NamedMetric {
  alias: string
  stateTitle?: string
  twinTitle?: string
  unit?: string
  operation?: string
  lastMinutes?: number | undefined
  lastValues?: number | undefined
  /** of metrics that name states by key */
  of?: Relative
  stateKey?: string
  over?: string
  across?: AcrossOperation | undefined
}

/**
 * Names of a rule's metrics: the state's title, with its twin if that is another one, and what is computed from its values:
 * "mean of CO₂ over 15 minutes". Without a title the alias stands for the state.
 */
export function metricNames(t: TFunction, rule: Omit<NamedRule, 'conditions'>): Named[] {
  return rule.metrics.map((metric) => {
    const { alias, stateTitle, twinTitle = '', unit } = metric
    if (metric.stateKey !== undefined) return { alias, title: relatedName(t, metric), unit: unit ?? '' }
    const own = stateTitle ?? alias
    const state = stateTitle === undefined || twinTitle === rule.twinTitle ? own : `${twinTitle} › ${own}`
    const title = computedName(t, state, metric)
    if (title === alias) return { alias }
    return { alias, title, unit: unit ?? '' }
  })
}

/** Operations over the values of a state; the others are named by their state or alias. */
const computed: ReadonlySet<string> = new Set([
  'avg',
  'min',
  'max',
  'sum',
  'median',
  'count',
  'first',
  'difference',
])

/** "mean of co2 over 15 minutes", "mean of co2 of all children". */
function relatedName(t: TFunction, metric: NamedMetric): string {
  const { of = 'own', stateKey = '', over = 'latest', across = 'avg' } = metric
  const state = of === 'parent' ? t('rules.related.ofParent', { name: stateKey }) : stateKey
  const name = computedName(t, state, { ...metric, operation: over })
  return of === 'children' ? t(`rules.related.named.${across}`, { name }) : name
}

function computedName(t: TFunction, name: string, { operation = 'latest', ...window }: NamedMetric): string {
  if (!computed.has(operation)) return name
  return t(`rules.measured.${operation}`, { name, window: windowText(t, window) })
}

function windowText(
  t: TFunction,
  { lastMinutes, lastValues }: Pick<NamedMetric, 'lastMinutes' | 'lastValues'>,
) {
  if (lastMinutes === undefined) return t('rules.overValues', { count: lastValues ?? 1 })
  for (const [unit, minutes] of [
    ['days', 1440],
    ['hours', 60],
  ] as const)
    if (lastMinutes > minutes && lastMinutes % minutes === 0)
      return t(`rules.over.${unit}`, { count: lastMinutes / minutes })
  return t('rules.over.minutes', { count: lastMinutes })
}

/** The conditions of a rule in words. */
export function conditionsSentence(conditions: RuleConditions, words: Words): string {
  return isScript(conditions) ? words.text('rules.scriptText') : sentence(conditions, words)
}

/** A rule's condition as a sentence. */
export function ruleSentence(t: TFunction, rule: NamedRule): string {
  return conditionsSentence(rule.conditions, wordsOf(t, metricNames(t, rule)))
}

/**
 * The words of triggers in the user's language.
 * @param metrics as for `wordsOf`
 * @param twin names of twins, see `useTwinNames`
 */
export function triggerWords(
  t: TFunction,
  metrics: readonly Named[],
  twin: TriggerWords['twin'],
): TriggerWords {
  const language = localeTag()
  return {
    text: (key, values) => t(key, values ?? {}),
    metric: (alias) => metrics.find((metric) => metric.alias === alias)?.title ?? alias,
    twin,
    weekdays: (days) => weekdaysText(days, language),
    list: (parts) => new Intl.ListFormat(language, { type: 'disjunction' }).format(parts),
  }
}

/** Twins and devices that `causeText` names. */
export function twinsOfCause(cause: ExecutionCause): number[] {
  if (cause.kind !== 'geofence') return []
  return cause.targetId === null ? [cause.twinId] : [cause.twinId, cause.targetId]
}

/** What woke a rule, in words. @param twin names of twins, see `useTwinNames` */
export function causeText(cause: ExecutionCause, t: TFunction, twin: TriggerWords['twin']): string {
  if (cause.kind === 'geofence') {
    const { mode, twinId, targetId } = cause
    const quoted = (id: number | null) => {
      const text = id === null ? null : twin(id)
      return text === null ? null : t('rules.quoted', { text })
    }
    const area = quoted(targetId)
    return t(`rules.causes.geofence.${area === null ? 'plain' : 'named'}.${mode}`, {
      twin: quoted(twinId) ?? t('rules.causes.geofence.something'),
      area,
    })
  }
  if (cause.kind === 'alarm')
    return t(cause.resolved ? 'rules.causes.alarmResolved' : 'rules.causes.alarm', { message: cause.message })
  const { kind, ...values } = cause
  return t(`rules.causes.${kind}`, values)
}

/** What actions report as a code; everything else is shown as it is. */
const detailCodes: ReadonlySet<string> = new Set([
  'not_running',
  'too_many_in_a_row',
  'no_place',
  'too_many_tickets',
])

/** What an execution records of an action. */
export function detailText(detail: string, t: TFunction): string {
  return detailCodes.has(detail) ? t(`rules.details.${detail}`) : detail
}
