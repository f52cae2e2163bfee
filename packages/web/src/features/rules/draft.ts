import type { Condition, Metric, Operand, Rule, RuleAction } from '@leitstand/contract/rules'
import { aliasesOf, type Comparison, conditionLimits, countNodes, depthOf } from './conditions.ts'

/** A metric while it is edited: the state may not be chosen yet. */
export interface MetricDraft {
  id: number
  alias: string
  stateId: number | null
  operation: Metric['operation']
  /** what the operation looks back at */
  window: 'none' | 'values' | 'minutes'
  amount: number
  transformer: string
  abortIfNull: boolean
}

/** An action while it is edited. */
export type ActionDraft =
  | { id: number; kind: 'email'; recipients: string[]; subject: string; body: string }
  | { id: number; kind: 'set-state'; stateId: number | null; value: Operand }
  | { id: number; kind: 'alarm'; severity: 'warning' | 'error'; message: string }

export interface RuleDraft {
  title: string
  active: boolean
  metrics: MetricDraft[]
  conditions: Condition
  throttleHours: number
  actions: ActionDraft[]
}

export const metricOperations: readonly Metric['operation'][] = [
  'latest',
  'avg',
  'min',
  'max',
  'sum',
  'median',
  'count',
  'first',
  'difference',
]

let lastId = 0
/** Number that tells the entries of a list apart while they are edited. */
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

export function newAction(
  kind: ActionDraft['kind'],
  texts: { subject: string; body: string; alarm: string },
): ActionDraft {
  if (kind === 'email')
    return { id: nextId(), kind, recipients: [], subject: texts.subject, body: texts.body }
  if (kind === 'alarm') return { id: nextId(), kind, severity: 'warning', message: texts.alarm }
  return { id: nextId(), kind, stateId: null, value: { value: 0 } }
}

export function newRule(): RuleDraft {
  return {
    title: '',
    active: true,
    throttleHours: 0,
    actions: [],
    metrics: [newMetric('a')],
    conditions: { op: 'and', conditions: [newComparison('a')] },
  }
}

/** What a draft is made of: a rule as it is stored, or as a template holds it. */
export type DraftSource = Pick<Rule, 'title' | 'active' | 'conditions' | 'throttleHours' | 'actions'> & {
  metrics: readonly Metric[]
}

/** A stored rule as a draft. A single comparison becomes a group of one, so that more can be added beside it. */
export function toDraft(rule: DraftSource): RuleDraft {
  return {
    title: rule.title,
    active: rule.active,
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
    actions: rule.actions.map((action) => ({ ...action, id: nextId() })),
  }
}

/** The metrics as the server takes them; those without a state stay out. */
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

function toActions(drafts: readonly ActionDraft[]): RuleAction[] {
  return drafts.flatMap(({ id: _, ...action }): RuleAction[] => {
    if (action.kind !== 'set-state') return [action]
    return action.stateId === null ? [] : [{ ...action, stateId: action.stateId }]
  })
}

/** What the server takes, without ids and version. */
export function toRuleInput(draft: RuleDraft) {
  return {
    title: draft.title.trim(),
    active: draft.active,
    metrics: toMetrics(draft.metrics),
    conditions: draft.conditions,
    throttleHours: draft.throttleHours,
    actions: toActions(draft.actions),
  }
}

const fixedPlaceholders = ['twin.title', 'rule.title', 'time']
const placeholder = /\{\{\s*([A-Za-z][A-Za-z0-9_.]*)\s*\}\}/g

/** Placeholders of a text that mean nothing. */
export function unknownPlaceholders(text: string, aliases: readonly string[]): string[] {
  const known = new Set([...aliases, ...fixedPlaceholders])
  return [
    ...new Set([...text.matchAll(placeholder)].flatMap((match) => (match[1] ? [match[1]] : []))),
  ].filter((name) => !known.has(name))
}

/** A fault of a draft: its place and a key below `rules.faults`. */
export interface Fault {
  /** `title`, `conditions`, `actions`, `metric.<id>.<field>`, `action.<id>.<field>` */
  at: string
  key: string
  name?: string
}

/** Everything that is wrong with a draft; the server checks the same. */
export function draftFaults(draft: RuleDraft): Fault[] {
  return [
    ...(draft.title.trim() === '' ? [{ at: 'title', key: 'required' }] : []),
    ...metricFaults(draft.metrics),
    ...conditionFaults(draft),
    ...(draft.actions.length === 0 ? [{ at: 'actions', key: 'noAction' }] : []),
    ...actionFaults(draft),
  ]
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
    if (metric.operation !== 'latest' && metric.window === 'none')
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

function actionFaults({ actions, metrics }: RuleDraft): Fault[] {
  const aliases = metrics.map(({ alias }) => alias)
  return actions.flatMap((action, index): Fault[] => {
    const at = `action.${action.id}`
    if (action.kind === 'email') return emailFaults(action, at, aliases)
    if (action.kind === 'set-state') return setStateFaults(action, at, metrics)
    const second = actions.findIndex((each) => each.kind === 'alarm') !== index
    return [
      ...(second ? [{ at, key: 'oneAlarm' }] : []),
      ...textFaults(action.message, `${at}.message`, true, aliases),
    ]
  })
}

function textFaults(text: string, at: string, required: boolean, aliases: readonly string[]): Fault[] {
  return [
    ...(required && text.trim() === '' ? [{ at, key: 'required' }] : []),
    ...unknownPlaceholders(text, aliases).map((name) => ({ at, key: 'unknownPlaceholder', name })),
  ]
}

function emailFaults(
  action: Extract<ActionDraft, { kind: 'email' }>,
  at: string,
  aliases: readonly string[],
): Fault[] {
  const faults: Fault[] = []
  if (action.recipients.length === 0) faults.push({ at: `${at}.recipients`, key: 'noRecipient' })
  if (action.recipients.some((address) => !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(address)))
    faults.push({ at: `${at}.recipients`, key: 'notAnAddress' })
  return [
    ...faults,
    ...textFaults(action.subject, `${at}.subject`, true, aliases),
    ...textFaults(action.body, `${at}.body`, false, aliases),
  ]
}

function setStateFaults(
  { stateId, value }: Extract<ActionDraft, { kind: 'set-state' }>,
  at: string,
  metrics: readonly MetricDraft[],
): Fault[] {
  const faults: Fault[] = []
  if (stateId === null) faults.push({ at: `${at}.stateId`, key: 'required' })
  else if (metrics.some((metric) => metric.stateId === stateId))
    faults.push({ at: `${at}.stateId`, key: 'ownInput' })
  if ('metric' in value && !metrics.some((metric) => metric.alias === value.metric))
    faults.push({ at: `${at}.value`, key: 'unknownMetric', name: value.metric })
  return faults
}

/** Alias for a new metric from the key of its state, free of those in use. */
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
