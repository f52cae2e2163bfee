import type { ExecutionTimes, ManyTwins, Rule } from '@leitstand/contract/rules'
import type { TFunction } from 'i18next'
import { localeTag } from '../../lib/format.ts'
import { triggersPhrase } from './triggers/index.ts'
import type { TriggerWords } from './triggers/types.ts'
import { weekdays, weekdaysText } from './weekdays.ts'
import { conditionsSentence, metricNames, type NamedRule, triggerWords, wordsOf } from './words.ts'

export interface SummedUp extends NamedRule, Pick<Rule, 'triggers' | 'executionTimes' | 'throttleHours'> {
  actions: readonly { kind: string }[]
  /** absent or null: on its own twin */
  many?: ManyTwins | null
  /** absent or null: it is of none */
  template?: Rule['template']
}

/**
 * A rule in one sentence: what wakes it unless that is only values, its conditions, what it does, when it may, and how often
 * at most.
 * @param twin names of twins, see `useTwinNames`; rules of templates name none
 */
export function ruleSummary(t: TFunction, rule: SummedUp, twin: TriggerWords['twin'] = () => null): string {
  const names = metricNames(t, rule)
  const isUsual = rule.triggers.every(({ kind }) => kind === 'values')
  const core = t(isUsual ? 'rules.ifThen' : 'rules.whenIfThen', {
    checked: checkedText(t, triggersPhrase(rule.triggers, triggerWords(t, names, twin))),
    condition: conditionsSentence(rule.conditions, wordsOf(t, names)),
    actions: rule.actions.map(({ kind }) => t(`rules.kinds.${kind}`)).join(', '),
  })
  const times = rule.executionTimes === null ? '' : timesText(t, rule.executionTimes)
  const limits = [times === '' ? '' : t('rules.only', { times }), throttleText(t, rule.throttleHours)]
  const sentence = [core, ...limits.filter((text) => text !== '')].join('; ')
  if (!rule.many) return sentence
  const { template, many } = rule
  const where = template
    ? [t('rules.many.ofTemplate', { template: template.title }), ...exceptText(t, many)].join(' ')
    : manyText(t, many, twin)
  return t('rules.many.sentence', { where, sentence })
}

function exceptText(t: TFunction, { except }: ManyTwins): string[] {
  return except.length > 0 ? [t('rules.many.exceptions', { count: except.length })] : []
}

/** The twins of a rule for many, in words. */
function manyText(t: TFunction, many: ManyTwins, twin: TriggerWords['twin']): string {
  const orList = new Intl.ListFormat(localeTag(), { type: 'disjunction' })
  const { category = 'any', types = [], tags = [], zones = [], twinId, driverIds, templateIds } = many.query
  const quoted = (words: readonly string[]) => orList.format(words.map((text) => t('rules.quoted', { text })))
  const parts = [
    t(`rules.many.every.${category}`),
    ...(types.length > 0
      ? [t('rules.many.types', { types: orList.format(types.map((each) => t(`twins.types.${each}`))) })]
      : []),
    ...(twinId === undefined
      ? []
      : [t('rules.many.below', { twin: t('rules.quoted', { text: twin(twinId) ?? '–' }) })]),
    ...(tags.length > 0 ? [t('rules.many.tags', { tags: quoted(tags) })] : []),
    ...(zones.length > 0 ? [t('rules.many.zones', { zones: quoted(zones) })] : []),
    ...(driverIds?.length ? [t('rules.many.drivers')] : []),
    ...(templateIds?.length ? [t('rules.many.templates')] : []),
    ...exceptText(t, many),
  ]
  return parts.join(' ')
}

/** The twins that a rule for many names. */
export function twinsOfMany(many: ManyTwins | null): number[] {
  return many?.query.twinId === undefined ? [] : [many.query.twinId]
}

/** What wakes a rule, in words without a full stop. German has a comma before a subordinate clause. */
export function checkedText(t: TFunction, triggers: string): string {
  return t(triggers.startsWith('wenn ') ? 'rules.checkedIf' : 'rules.checked', { triggers })
}

/** When a rule may run: windows of the day, dates and holidays. */
export function timesText(t: TFunction, { windows, dates, holidays }: ExecutionTimes): string {
  const all = new Intl.ListFormat(localeTag(), { type: 'conjunction' })
  const hours = windows.map(({ days, from, to }) => {
    const text = `${from}–${to}`
    return days.length === weekdays.length ? text : `${weekdaysText(days, localeTag())} ${text}`
  })
  const ranges = dates.map(({ from, to }) =>
    from === to ? dayText(from) : `${dayText(from)}–${dayText(to)}`,
  )
  return [
    ...(hours.length > 0 ? [all.format(hours)] : []),
    ...(ranges.length > 0 ? [all.format(ranges)] : []),
    ...(holidays === null ? [] : [t(`rules.onHolidays.${holidays.on}`)]),
  ].join(', ')
}

/** @param day `2026-03-04` */
function dayText(day: string): string {
  const format = { day: '2-digit', month: '2-digit', year: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(localeTag(), format).format(new Date(day))
}

function throttleText(t: TFunction, hours: number): string {
  if (hours <= 0) return ''
  const shown = new Intl.NumberFormat(localeTag()).format(hours)
  return t('rules.atMostOnce', { count: hours, hours: shown })
}
