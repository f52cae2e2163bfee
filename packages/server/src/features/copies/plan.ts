import { isDeepStrictEqual } from 'node:util'
import type { SyncParts, SyncTarget } from '@leitstand/contract/copies'
import type { SourceDefinition, State } from '@leitstand/contract/states'
import { changedFields, type RuleFields } from '../rules/index.ts'
import type { ObjectRow, StateInput } from '../twins/index.ts'

/** A state of the twin that others are made like. */
export interface TemplateState {
  state: State
  /** with ids of the twin's own states; null: others keep theirs */
  source: SourceDefinition | null
}

export interface Template {
  twin: Pick<ObjectRow, 'id' | 'type' | 'floorNumber' | 'floorName' | 'icon'>
  states: readonly TemplateState[]
  rules: readonly RuleFields[]
  /** of rules that are not taken over */
  hiddenTitles: readonly string[]
}

/** A twin that is made like the template. */
export interface Target {
  twin: Template['twin']
  states: readonly State[]
  rules: readonly RuleFields[]
}

export type SyncPlan = Pick<SyncTarget, 'states' | 'rules' | 'fields'>

const nowhere: SourceDefinition = { source: 'none', sourceSettings: {} }

/**
 * The definition of a state in a target: like that of the template, with the source of the target where the template has
 * none to pass on.
 * @param linked the source of the template, with the states of the target
 */
export function wantedState(
  {
    title,
    unit,
    icon,
    valueType,
    transformer,
    lowerBound,
    upperBound,
    decimals,
    visualization,
    positionAxis,
  }: State,
  linked: SourceDefinition | null,
  held: SourceDefinition | undefined,
): StateInput {
  const { source, sourceSettings } = linked ?? held ?? nowhere
  const fields = {
    title,
    unit,
    icon,
    valueType,
    transformer,
    lowerBound,
    upperBound,
    decimals,
    visualization,
    positionAxis,
  }
  return { ...fields, source, sourceSettings } as StateInput
}

export function isSameState(wanted: StateInput, held: State): boolean {
  return isDeepStrictEqual(wanted, wantedState(held, held, undefined))
}

/** The twin's own fields that a target takes over. */
export function wantedFields({ twin }: Template, parts: SyncParts): Partial<Template['twin']> {
  const { type, floorNumber, floorName, icon } = twin
  return {
    ...(parts.typeFields ? { type, floorNumber, floorName } : {}),
    ...(parts.icon ? { icon } : {}),
  }
}

/**
 * What synchronising changes in a target.
 * @param linkOf the source of a template's state and the rule, with the states of the target; those it does not have yet
 *   are no state of anything
 */
export function planSync(
  template: Template,
  target: Target,
  parts: SyncParts,
  link: { source: (state: TemplateState) => SourceDefinition | null; rule: (rule: RuleFields) => RuleFields },
): SyncPlan {
  const held = new Map(target.states.map((state) => [state.key, state]))
  const keys = new Set(template.states.map(({ state }) => state.key))
  const differing = template.states.filter((each) => {
    const own = held.get(each.state.key)
    return own !== undefined && !isSameState(wantedState(each.state, link.source(each), own), own)
  })
  const rules = new Map(target.rules.map((rule) => [rule.title, rule]))
  const titles = new Set(template.rules.map(({ title }) => title))
  const changedRules = template.rules.filter((rule) => {
    const own = rules.get(rule.title)
    return own !== undefined && changedFields(own, link.rule(rule)).changed.length > 0
  })
  const others = (names: readonly string[], known: ReadonlySet<string>) =>
    parts.removeOthers ? names.filter((name) => !known.has(name)) : []
  const nothing = { added: [], changed: [], removed: [] }
  return {
    states: parts.states
      ? {
          added: [...keys].filter((key) => !held.has(key)),
          changed: differing.map(({ state }) => state.key),
          removed: others([...held.keys()], keys),
        }
      : nothing,
    rules: parts.rules
      ? {
          added: [...titles].filter((title) => !rules.has(title)),
          changed: changedRules.map(({ title }) => title),
          removed: others([...rules.keys()], new Set([...titles, ...template.hiddenTitles])),
        }
      : nothing,
    fields: Object.entries(wantedFields(template, parts))
      .filter(([name, value]) => !isDeepStrictEqual(target.twin[name as keyof Target['twin']], value))
      .map(([name]) => name),
  }
}

/** Whether there is nothing to change. */
export function isInSync({ states, rules, fields }: SyncPlan): boolean {
  return [states, rules].every((each) => Object.values(each).every((names) => names.length === 0))
    ? fields.length === 0
    : false
}
