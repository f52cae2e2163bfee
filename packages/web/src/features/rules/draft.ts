import type { Condition, Metric, Rule, RuleActionKind } from '@leitstand/contract/rules'
import type { TFunction } from 'i18next'
import {
  type ActionDraft,
  actionFaults,
  actionKinds,
  fromActionDraft,
  toActionDraft,
} from './actions/index.ts'
import { defaultText, renamePlaceholder } from './actions/texts.ts'
import { aliasesOf, conditionLimits, countNodes, depthOf, renameAlias } from './conditions/tree.ts'
import type { Comparison } from './conditions/types.ts'
import { metricKinds } from './metrics/index.ts'
import {
  fromTriggerDraft,
  renameInTrigger,
  type TriggerDraft,
  toTriggerDraft,
  triggerFaults,
} from './triggers/index.ts'

/** A metric being edited: the state may not be selected yet. */
export interface MetricDraft {
  id: number
  alias: string
  stateId: number | null
  operation: Metric['operation']
  /** what the operation covers */
  window: 'none' | 'values' | 'minutes'
  amount: number
  transformer: string
  abortIfNull: boolean
}

export interface RuleDraft {
  title: string
  active: boolean
  /** ISO 8601 */
  pausedUntil: string | null
  triggers: TriggerDraft[]
  metrics: MetricDraft[]
  conditions: Condition
  throttleHours: number
  actions: ActionDraft[]
}

let lastId = 0
/** A unique key for list entries while editing. */
export function nextId(): number {
  lastId += 1
  return lastId
}

export function newMetric(alias: string, stateId: number | null = null): MetricDraft {
  return {
    id: nextId(),
    alias,
    stateId,
    operation: 'latest',
    window: 'none',
    amount: 10,
    transformer: '',
    abortIfNull: true,
  }
}

export function newComparison(alias: string): Comparison {
  return { op: 'gt', left: { metric: alias }, right: { value: 0 } }
}

/** @param text returns a locale text by its key, placeholders filled in */
export function newAction(kind: RuleActionKind, text: (key: string) => string): ActionDraft {
  return { ...actionKinds[kind].create(text), id: nextId() }
}

/** A state that a new rule can begin with. */
export interface FirstState {
  id: number
  key: string
  valueType: string
}

/** A rule with one metric, one comparison and an alarm. The metric is the only state there is to choose from. */
export function newRule(t: TFunction, states: readonly FirstState[]): RuleDraft {
  const state = states.length === 1 ? states[0] : undefined
  const alias = state ? freeAlias(state.key, []) : 'a'
  return {
    title: '',
    active: true,
    pausedUntil: null,
    triggers: [toTriggerDraft(nextId(), { kind: 'values' })],
    // Mails while a value stays too high would come with every value.
    throttleHours: 1,
    actions: [newAction('alarm', defaultText(t, alias))],
    metrics: [newMetric(alias, state?.id ?? null)],
    conditions: { op: 'and', conditions: [firstComparison(alias, state?.valueType)] },
  }
}

function firstComparison(alias: string, valueType: string | undefined): Comparison {
  const fresh = newComparison(alias)
  if (valueType === 'boolean') return { ...fresh, op: 'eq', right: { value: true } }
  return valueType === 'text' ? { ...fresh, op: 'eq', right: { value: '' } } : fresh
}

/** A draft whose metric was renamed: conditions and texts of actions follow. */
export function renameMetric(draft: RuleDraft, metrics: MetricDraft[], from: string, to: string): RuleDraft {
  return {
    ...draft,
    metrics,
    triggers: draft.triggers.map((trigger) =>
      toTriggerDraft(trigger.id, renameInTrigger(fromTriggerDraft(trigger), from, to)),
    ),
    conditions: renameAlias(draft.conditions, from, to),
    actions: draft.actions.map((action) => {
      const fields = Object.entries(action).map(([field, value]) => [field, renameIn(value, from, to)])
      return Object.fromEntries(fields) as ActionDraft
    }),
  }
}

/** A field of an action after a metric was renamed: a text with placeholders, the metric as a value, or fields with these. */
function renameIn(field: unknown, from: string, to: string): unknown {
  if (typeof field === 'string') return renamePlaceholder(field, from, to)
  if (typeof field !== 'object' || field === null || Array.isArray(field)) return field
  if ('metric' in field && field.metric === from) return { metric: to }
  return Object.fromEntries(Object.entries(field).map(([name, value]) => [name, renameIn(value, from, to)]))
}

/** Source of a draft: a stored rule, or a template's rule. */
export type DraftSource = Pick<
  Rule,
  'title' | 'active' | 'pausedUntil' | 'triggers' | 'conditions' | 'throttleHours' | 'actions'
> & {
  metrics: readonly Metric[]
}

/** A stored rule as a draft. A single comparison becomes a group of one, so that more can be added. */
export function toDraft(rule: DraftSource): RuleDraft {
  return {
    title: rule.title,
    active: rule.active,
    pausedUntil: rule.pausedUntil,
    triggers: rule.triggers.map((trigger) => toTriggerDraft(nextId(), trigger)),
    metrics: rule.metrics.map((metric) => ({
      id: nextId(),
      alias: metric.alias,
      stateId: metric.stateId,
      operation: metric.operation,
      window:
        metric.lastMinutes !== undefined ? 'minutes' : metric.lastValues !== undefined ? 'values' : 'none',
      amount: metric.lastMinutes ?? metric.lastValues ?? 10,
      transformer: metric.transformer ?? '',
      abortIfNull: metric.abortIfNull,
    })),
    conditions:
      'conditions' in rule.conditions ? rule.conditions : { op: 'and', conditions: [rule.conditions] },
    throttleHours: rule.throttleHours,
    actions: rule.actions.map((action) => toActionDraft(nextId(), action)),
  }
}

/** Converts metrics to API input, without those that have no state. */
export function toMetrics(drafts: readonly MetricDraft[]): Metric[] {
  return drafts.flatMap((draft) =>
    draft.stateId === null
      ? []
      : [
          {
            alias: draft.alias,
            stateId: draft.stateId,
            operation: draft.operation,
            ...(draft.window === 'values' ? { lastValues: draft.amount } : {}),
            ...(draft.window === 'minutes' ? { lastMinutes: draft.amount } : {}),
            ...(draft.transformer.trim() ? { transformer: draft.transformer } : {}),
            abortIfNull: draft.abortIfNull,
          },
        ],
  )
}

/** API input, without ids and version. */
export function toRuleInput(draft: RuleDraft) {
  return {
    title: draft.title.trim(),
    active: draft.active,
    pausedUntil: draft.pausedUntil,
    triggers: draft.triggers.map(fromTriggerDraft),
    metrics: toMetrics(draft.metrics),
    conditions: draft.conditions,
    throttleHours: draft.throttleHours,
    actions: draft.actions.flatMap((action) => fromActionDraft(action) ?? []),
  }
}

/** An error of a draft: its place and a key below `rules.faults`. */
export interface Fault {
  /** `title`, `triggers`, `conditions`, `actions`, `trigger.<id>.<field>`, `metric.<id>.<field>`, `action.<id>.<field>` */
  at: string
  key: string
  name?: string
}

/** The values of a draft by the places of `Fault`. */
export const placesOf = (draft: RuleDraft) => ({
  ...draft,
  trigger: Object.fromEntries(draft.triggers.map((trigger) => [trigger.id, trigger])),
  metric: Object.fromEntries(draft.metrics.map((metric) => [metric.id, metric])),
  action: Object.fromEntries(draft.actions.map((action) => [action.id, action])),
})

/** The place of a path of the input: `actions.0.recipients.2` → `action.<id>.recipients`. */
export function placeOf(path: string, { triggers, metrics, actions }: RuleDraft): string {
  const [list = path, index, field] = path.split('.')
  const lists: Readonly<Record<string, readonly [string, readonly { id: number }[]]>> = {
    triggers: ['trigger', triggers],
    metrics: ['metric', metrics],
    actions: ['action', actions],
  }
  const [name, parts] = lists[list] ?? []
  const part = parts?.[Number(index)]
  if (!part || index === undefined) return list
  const place = `${name}.${part.id}`
  return field === undefined ? place : `${place}.${field}`
}

/** All errors of a draft; the server runs the same checks. */
export function draftFaults(draft: RuleDraft): Fault[] {
  return [
    ...(draft.title.trim() === '' ? [{ at: 'title', key: 'required' }] : []),
    ...faultsOfTriggers(draft),
    ...metricFaults(draft.metrics),
    ...conditionFaults(draft),
    ...(draft.actions.length === 0 ? [{ at: 'actions', key: 'noAction' }] : []),
    ...faultsOfActions(draft),
  ]
}

function faultsOfTriggers({ triggers, metrics }: RuleDraft): Fault[] {
  if (triggers.length === 0) return [{ at: 'triggers', key: 'noTrigger' }]
  const aliases = metrics.map(({ alias }) => alias)
  return triggers.flatMap((trigger) =>
    triggerFaults(trigger, aliases).map(({ field, key }) => ({ at: `trigger.${trigger.id}.${field}`, key })),
  )
}

function metricFaults(metrics: readonly MetricDraft[]): Fault[] {
  const faults: Fault[] = metrics.length === 0 ? [{ at: 'metrics', key: 'noMetric' }] : []
  const seen = new Set<string>()
  for (const metric of metrics) {
    const at = `metric.${metric.id}`
    if (!/^[A-Za-z][A-Za-z0-9_]{0,49}$/.test(metric.alias)) faults.push({ at: `${at}.alias`, key: 'alias' })
    else if (metric.alias === 'time') faults.push({ at: `${at}.alias`, key: 'reserved' })
    else if (seen.has(metric.alias)) faults.push({ at: `${at}.alias`, key: 'duplicateAlias' })
    seen.add(metric.alias)
    if (metric.stateId === null) faults.push({ at: `${at}.stateId`, key: 'required' })
    if (metricKinds[metric.operation].needsWindow && metric.window === 'none')
      faults.push({ at: `${at}.window`, key: 'windowNeeded' })
  }
  return faults
}

function conditionFaults({ conditions, metrics }: RuleDraft): Fault[] {
  const aliases = new Set(metrics.map(({ alias }) => alias))
  const faults: Fault[] = aliasesOf(conditions)
    .filter((alias) => !aliases.has(alias))
    .map((name) => ({ at: 'conditions', key: 'unknownMetric', name }))
  const { depthMax, nodesMax } = conditionLimits
  if (countNodes(conditions) > nodesMax || depthOf(conditions) > depthMax)
    faults.push({ at: 'conditions', key: 'tooLarge' })
  return faults
}

function faultsOfActions({ actions, metrics }: RuleDraft): Fault[] {
  return actions.flatMap((action, index) => {
    const earlier = actions.slice(0, index).map(({ kind }) => kind)
    return actionFaults(action, { metrics, earlier }).map(({ field, ...fault }) => ({
      ...fault,
      at: field === '' ? `action.${action.id}` : `action.${action.id}.${field}`,
    }))
  })
}

/** Alias for a new metric, from its state's key and not yet in use. */
export function freeAlias(key: string, taken: readonly string[]): string {
  const base =
    key
      .replace(/[^A-Za-z0-9_]/g, '_')
      .replace(/^[^A-Za-z]+/, '')
      .slice(0, 40) || 'm'
  if (!taken.includes(base) && base !== 'time') return base
  for (let number = 2; ; number++) {
    if (!taken.includes(`${base}_${number}`)) return `${base}_${number}`
  }
}
