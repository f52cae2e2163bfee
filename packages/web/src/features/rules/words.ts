import type { ExecutionCause, Operand, Rule, RuleConditions } from '@leitstand/contract/rules'
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
  metrics: readonly { alias: string; stateTitle?: string; twinTitle?: string; unit?: string }[]
}

/** Names of a stored rule's metrics: the state's title, with its twin if that is another one. */
export function metricNames(rule: Omit<NamedRule, 'conditions'>): Named[] {
  return rule.metrics.map(({ alias, stateTitle, twinTitle = '', unit = '' }) => {
    if (stateTitle === undefined) return { alias }
    return { alias, title: twinTitle === rule.twinTitle ? stateTitle : `${twinTitle} › ${stateTitle}`, unit }
  })
}

/** The conditions of a rule in words. */
export function conditionsSentence(conditions: RuleConditions, words: Words): string {
  return isScript(conditions) ? words.text('rules.scriptText') : sentence(conditions, words)
}

/** A rule's condition as a sentence. */
export function ruleSentence(t: TFunction, rule: NamedRule): string {
  return conditionsSentence(rule.conditions, wordsOf(t, metricNames(rule)))
}

/** The words of triggers in the user's language. @param metrics as for `wordsOf` */
export function triggerWords(t: TFunction, metrics: readonly Named[]): TriggerWords {
  const language = localeTag()
  return {
    text: (key, values) => t(key, values ?? {}),
    metric: (alias) => metrics.find((metric) => metric.alias === alias)?.title ?? alias,
    weekdays: (days) => weekdaysText(days, language),
    list: (parts) => new Intl.ListFormat(language, { type: 'disjunction' }).format(parts),
  }
}

/** What woke a rule, in words. */
export function causeText(cause: ExecutionCause, t: TFunction): string {
  if (cause.kind === 'alarm')
    return t(cause.resolved ? 'rules.causes.alarmResolved' : 'rules.causes.alarm', { message: cause.message })
  const { kind, ...values } = cause
  return t(`rules.causes.${kind}`, values)
}

/** What actions report as a code; everything else is shown as it is. */
const detailCodes: ReadonlySet<string> = new Set(['not_running', 'too_many_in_a_row'])

/** What an execution records of an action. */
export function detailText(detail: string, t: TFunction): string {
  return detailCodes.has(detail) ? t(`rules.details.${detail}`) : detail
}
