import { randomUUID } from 'node:crypto'
import type { TemplateContent, TemplateRule, TemplateState } from '@leitstand/contract/templates'
import { AppError } from '../../platform/errors.ts'
import {
  actionStateKeys,
  checkActionStates,
  checkDraft,
  type Issue,
  type RuleFields,
  withOwnStates,
} from '../rules/index.ts'

import { type CheckedSource, checkState, type StateInput } from '../twins/index.ts'

type TemplateAggregate = Extract<TemplateState, { source: 'aggregate' }>

/** An inconsistency in a template, with a code that the console can translate. */
export interface TemplateIssue extends Issue {
  code: 'TWICE' | 'STATE_INVALID' | 'STATE_UNKNOWN' | 'RULE_INVALID' | 'LOOP' | 'SCRIPT'
}

/** Gives new rules an id, and removes duplicate tags, groups and properties. */
export function withIds(content: TemplateContent): TemplateContent {
  return {
    ...content,
    tags: [...new Set(content.tags)],
    groups: [...new Set(content.groups)],
    rules: content.rules.map((rule) => ({ ...rule, id: rule.id ?? randomUUID() })),
  }
}

/** The state for a device whose states have these ids. */
export function stateFor(
  { key, ...state }: TemplateState,
  ids: ReadonlyMap<string, number>,
): { input: StateInput; source: CheckedSource } {
  const input: StateInput = state.source === 'aggregate' ? { ...state, ...withStateIds(state, ids) } : state
  return { input, source: checkState('virtualDevice', key, input) }
}

function withStateIds(
  { sourceSettings: { stateKeys, ...settings } }: Pick<TemplateAggregate, 'sourceSettings'>,
  ids: ReadonlyMap<string, number>,
) {
  return {
    sourceSettings: stateKeys === undefined ? settings : { ...settings, stateIds: idsOf(stateKeys, ids) },
  }
}

/** The states that a state is computed from. */
function sourceKeysOf(state: TemplateState): readonly string[] {
  return (state.source === 'aggregate' ? state.sourceSettings.stateKeys : undefined) ?? []
}

/** A rule of a template, as it runs on the devices that conform to it. */
export function ruleFor(
  templateId: number,
  { id: _, pausedUntil, metrics, ...rule }: TemplateRule,
): RuleFields {
  return {
    ...rule,
    pausedUntil: pausedUntil === null ? null : new Date(pausedUntil),
    many: { query: { templateIds: [templateId] }, except: [] },
    metrics: metrics.map((metric) => {
      if (!('stateKey' in metric)) return metric
      const { operation: over, ...common } = metric
      return { ...common, operation: 'related', of: 'own', over }
    }),
  }
}

function idsOf(keys: readonly string[], ids: ReadonlyMap<string, number>): number[] {
  return keys.flatMap((key) => ids.get(key) ?? [])
}

/** Checks a template as far as possible without the database and without running scripts. */
export function checkContent(content: TemplateContent): TemplateIssue[] {
  const { states, rules, properties } = content
  // The states a device will have; the checks work with any ids.
  const ids = new Map(states.map(({ key }, index) => [key, index + 1]))
  return [
    ...twice(
      'states',
      'key',
      states.map(({ key }) => key),
    ),
    ...twice(
      'rules',
      'title',
      rules.map(({ title }) => title),
    ),
    ...twice(
      'rules',
      'id',
      rules.map(({ id = '' }) => id),
    ),
    ...twice(
      'properties',
      'key',
      properties.map(({ key }) => key),
    ),
    ...states.flatMap((state, index) => checkOneState(state, ids, ['states', String(index)])),
    ...rules.flatMap((rule, index) => checkOneRule(rule, states, ids, ['rules', String(index)])),
    ...checkLoops(content),
  ]
}

function twice(list: string, field: string, names: readonly string[]): TemplateIssue[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [{ code: 'TWICE' as const, path: [list, String(index), field], message: `${name} appears twice` }]
      : [],
  )
}

function unknown(path: string[], key: string): TemplateIssue {
  return { code: 'STATE_UNKNOWN', path, message: `the template has no state ${key}` }
}

function checkOneState(
  state: TemplateState,
  ids: ReadonlyMap<string, number>,
  path: string[],
): TemplateIssue[] {
  const missing = sourceKeysOf(state).filter((key) => !ids.has(key))
  if (missing.length > 0) return missing.map((key) => unknown([...path, 'sourceSettings', 'stateKeys'], key))
  try {
    stateFor(state, ids)
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const field = typeof error.data?.field === 'string' ? error.data.field.split('.') : []
    return [{ code: 'STATE_INVALID', path: [...path, ...field], message: error.message }]
  }
}

function checkOneRule(
  rule: TemplateRule,
  states: readonly TemplateState[],
  ids: ReadonlyMap<string, number>,
  path: string[],
): TemplateIssue[] {
  const missing = [
    ...rule.metrics.flatMap((metric, at) =>
      'stateKey' in metric ? [{ stateKey: metric.stateKey, at: ['metrics', String(at), 'stateKey'] }] : [],
    ),
    ...rule.actions.flatMap((action, at) =>
      actionStateKeys(action).map(({ key, field }) => ({
        stateKey: key,
        at: ['actions', String(at), field],
      })),
    ),
  ].filter(({ stateKey }) => !ids.has(stateKey))
  if (missing.length > 0) return missing.map(({ stateKey, at }) => unknown([...path, ...at], stateKey))
  const fields = withOwnStates({ ...ruleFor(0, rule), many: null }, (key) => ids.get(key) ?? 0)
  const byId = new Map(states.map((state) => [ids.get(state.key) ?? 0, state]))
  return [...checkDraft(fields), ...checkActionStates(fields.actions, byId)].map(
    ({ path: within, message }) => ({
      code: 'RULE_INVALID',
      message,
      path: [...path, ...within.map((part) => (part === 'stateId' ? 'stateKey' : part))],
    }),
  )
}

/** States that would be computed from themselves, through aggregates and rules. */
function checkLoops({ states, rules }: TemplateContent): TemplateIssue[] {
  const sources = new Map<string, Set<string>>(
    states.map((state) => [state.key, new Set(sourceKeysOf(state))]),
  )
  for (const { metrics, actions } of rules)
    for (const { key, isSet } of actions.flatMap(actionStateKeys))
      if (isSet)
        for (const metric of metrics) if ('stateKey' in metric) sources.get(key)?.add(metric.stateKey)
  // A state with no remaining dependencies is not part of a loop.
  for (let free = true; free; ) {
    const done = [...sources].filter(([, from]) => ![...from].some((key) => sources.has(key)))
    for (const [key] of done) sources.delete(key)
    free = done.length > 0
  }
  if (sources.size === 0) return []
  const keys = [...sources.keys()].join(', ')
  return [{ code: 'LOOP', path: ['states'], message: `these would be computed from themselves: ${keys}` }]
}
