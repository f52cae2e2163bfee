import type {
  ExecutionTimes,
  ManyTwins,
  Metric,
  Rule,
  RuleActionKind,
  RuleConditions,
} from '@leitstand/contract/rules'
import type { TFunction } from 'i18next'
import { withCategory } from './actions/alarm/fitting.ts'
import {
  type ActionDraft,
  actionFaults,
  actionKinds,
  fromActionDraft,
  toActionDraft,
} from './actions/index.ts'
import { defaultText, renamePlaceholder } from './actions/texts.ts'
import { isScript } from './conditions/script.ts'
import { aliasesOf, conditionLimits, countNodes, depthOf, faultsOf, renameAlias } from './conditions/tree.ts'
import type { Comparison } from './conditions/types.ts'
import { timesFaults } from './executionTimes/times.ts'
import { metricKinds } from './metrics/index.ts'
import type { OwnFields } from './metrics/types.ts'
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
  /** of kinds that have no state */
  own: OwnFields
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
  /** null: on its own twin */
  many: ManyTwins | null
  triggers: TriggerDraft[]
  metrics: MetricDraft[]
  conditions: RuleConditions
  /** null: at any time */
  executionTimes: ExecutionTimes | null
  throttleHours: number
  actions: ActionDraft[]
}

let lastId = 0
/** A unique key for list entries while editing. */
export function nextId(): number {
  lastId += 1
  return lastId
}

const newFields: OwnFields = {
  clock: 'minutes',
  property: '',
  position: 'distance',
  latitude: null,
  longitude: null,
  of: 'own',
  stateKey: '',
  over: 'latest',
  across: 'avg',
  window: 'none',
  amount: 10,
}

export function newMetric(alias: string, stateId: number | null = null): MetricDraft {
  return {
    id: nextId(),
    alias,
    stateId,
    own: newFields,
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
    many: null,
    triggers: [toTriggerDraft(nextId(), { kind: 'values' })],
    executionTimes: null,
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

/** A draft whose metric was renamed: a condition tree and texts of actions follow. */
export function renameMetric(draft: RuleDraft, metrics: MetricDraft[], from: string, to: string): RuleDraft {
  return {
    ...draft,
    metrics,
    triggers: draft.triggers.map((trigger) =>
      toTriggerDraft(trigger.id, renameInTrigger(fromTriggerDraft(trigger), from, to)),
    ),
    // Only its author can rename a variable of a script.
    conditions: isScript(draft.conditions) ? draft.conditions : renameAlias(draft.conditions, from, to),
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
  if ('metrics' in field && Array.isArray(field.metrics))
    return { ...field, metrics: field.metrics.map((alias) => (alias === from ? to : alias)) }
  return Object.fromEntries(Object.entries(field).map(([name, value]) => [name, renameIn(value, from, to)]))
}

/** Source of a draft: a stored rule, or a template's rule. */
export type DraftSource = Pick<
  Rule,
  | 'title'
  | 'active'
  | 'pausedUntil'
  | 'triggers'
  | 'conditions'
  | 'executionTimes'
  | 'throttleHours'
  | 'actions'
> & {
  metrics: readonly Metric[]
  /** absent in templates */
  many?: ManyTwins | null
}

/** A stored rule as a draft. A single comparison becomes a group of one, so that more can be added. */
export function toDraft(rule: DraftSource): RuleDraft {
  return {
    title: rule.title,
    active: rule.active,
    pausedUntil: rule.pausedUntil,
    many: rule.many ?? null,
    triggers: rule.triggers.map((trigger) => toTriggerDraft(nextId(), trigger)),
    metrics: rule.metrics.map((metric) => ({
      id: nextId(),
      alias: metric.alias,
      stateId: 'stateId' in metric ? metric.stateId : null,
      own: ownFields(metric),
      operation: metric.operation,
      window:
        metric.lastMinutes !== undefined ? 'minutes' : metric.lastValues !== undefined ? 'values' : 'none',
      amount: metric.lastMinutes ?? metric.lastValues ?? 10,
      transformer: metric.transformer ?? '',
      abortIfNull: metric.abortIfNull,
    })),
    conditions:
      'conditions' in rule.conditions || isScript(rule.conditions)
        ? rule.conditions
        : { op: 'and', conditions: [rule.conditions] },
    executionTimes: rule.executionTimes,
    throttleHours: rule.throttleHours,
    actions: rule.actions.map((action) => toActionDraft(nextId(), action)),
  }
}

/** The fields of a metric without a state; defaults for those it does not have. */
function ownFields(metric: Metric): OwnFields {
  if (!('stateId' in metric)) return { ...newFields, ...pick(metric) }
  return newFields
}

function pick(metric: Exclude<Metric, { stateId: number }>): Partial<OwnFields> {
  if (metric.operation === 'clock') return { clock: metric.clock }
  if (metric.operation === 'property') return { property: metric.property }
  if (metric.operation === 'related') {
    const { of, stateKey, over, across = 'avg', lastMinutes, lastValues } = metric
    const window = lastMinutes !== undefined ? 'minutes' : lastValues !== undefined ? 'values' : 'none'
    return { of, stateKey, over, across, window, amount: lastMinutes ?? lastValues ?? 10 }
  }
  const { position, latitude = null, longitude = null } = metric
  return { position, latitude, longitude }
}

/** Converts metrics to API input, without those that lack their state. */
export function toMetrics(drafts: readonly MetricDraft[]): Metric[] {
  return drafts.flatMap((draft): Metric[] => {
    const { alias, stateId, operation, abortIfNull } = draft
    const transformer = draft.transformer.trim() ? { transformer: draft.transformer } : {}
    const { own } = metricKinds[operation]
    if (own) return [{ alias, ...own.toInput(draft.own), ...transformer, abortIfNull }]
    if (stateId === null) return []
    const window =
      draft.window === 'values'
        ? { lastValues: draft.amount }
        : draft.window === 'minutes'
          ? { lastMinutes: draft.amount }
          : {}
    return [{ alias, stateId, operation, ...window, ...transformer, abortIfNull } as Metric]
  })
}

/** API input, without ids and version. */
export function toRuleInput(draft: RuleDraft) {
  return {
    title: draft.title.trim(),
    active: draft.active,
    pausedUntil: draft.pausedUntil,
    many: draft.many,
    triggers: draft.triggers.map(fromTriggerDraft),
    metrics: toMetrics(draft.metrics),
    conditions: draft.conditions,
    executionTimes: draft.executionTimes,
    throttleHours: draft.throttleHours,
    actions: draft.actions.flatMap((action) => fromActionDraft(withCategory(action, draft)) ?? []),
  }
}

/** An error of a draft: its place and a key below `rules.faults`. */
export interface Fault {
  /**
   * `title`, `triggers`, `conditions`, `executionTimes`, `actions`, `trigger.<id>.<field>`, `metric.<id>.<field>`,
   * `action.<id>.<field>`
   */
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
    ...timesFaults(draft.executionTimes).map((key) => ({ at: 'executionTimes', key })),
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
    const { own } = metricKinds[metric.operation]
    const fault = own?.fault?.(metric.own)
    if (fault) faults.push({ at: `${at}.${fault.field}`, key: fault.key })
    if (own) continue
    if (metric.stateId === null) faults.push({ at: `${at}.stateId`, key: 'required' })
    if (metricKinds[metric.operation].needsWindow && metric.window === 'none')
      faults.push({ at: `${at}.window`, key: 'windowNeeded' })
  }
  return faults
}

function conditionFaults({ conditions, metrics }: RuleDraft): Fault[] {
  if (isScript(conditions)) {
    return conditions.script.trim() === '' ? [{ at: 'conditions', key: 'noScript' }] : []
  }
  const aliases = new Set(metrics.map(({ alias }) => alias))
  const faults: Fault[] = aliasesOf(conditions)
    .filter((alias) => !aliases.has(alias))
    .map((name) => ({ at: 'conditions', key: 'unknownMetric', name }))
  const { depthMax, nodesMax } = conditionLimits
  if (countNodes(conditions) > nodesMax || depthOf(conditions) > depthMax)
    faults.push({ at: 'conditions', key: 'tooLarge' })
  return [...faults, ...faultsOf(conditions).map((key) => ({ at: 'conditions', key }))]
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
