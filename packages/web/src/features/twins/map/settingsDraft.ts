import type { MapSettings, MarkerRule } from '@leitstand/contract/mapSettings'

/** An operator as it is entered: the value is a text. */
export interface RuleDraft extends Omit<MarkerRule, 'value' | 'state'> {
  /** for the list only */
  rowId: number
  state: string | null
  value: string
}

export type SettingsDraft = Omit<MapSettings, 'operators'> & { operators: RuleDraft[] }

export function toDraft(settings: MapSettings): SettingsDraft {
  return {
    ...settings,
    operators: settings.operators.map((rule, rowId) => ({ ...rule, rowId, value: String(rule.value) })),
  }
}

/** A text as a number if it is one, with point or comma. */
export function entered(text: string): number | string {
  const trimmed = text.trim()
  return /^[+-]?(\d+([.,]\d*)?|[.,]\d+)$/.test(trimmed) ? Number(trimmed.replace(',', '.')) : trimmed
}

/** The settings as entered; they may have faults. */
export function fromDraft(draft: SettingsDraft): MapSettings {
  return {
    ...draft,
    operators: draft.operators.map(({ rowId: _, state, value, ...rule }) => ({
      ...rule,
      state: state ?? '',
      value: entered(value),
    })),
  }
}

/** A further operator, below the others. */
export function withRule(draft: SettingsDraft): SettingsDraft {
  const rowId = Math.max(-1, ...draft.operators.map((rule) => rule.rowId)) + 1
  const rule: RuleDraft = { rowId, state: null, operator: 'gte', value: '', color: 'red', icon: null }
  return { ...draft, operators: [...draft.operators, rule] }
}

/** An operator one place earlier. */
export function raised<Rule>(rules: readonly Rule[], at: number): Rule[] {
  if (at <= 0 || at >= rules.length) return [...rules]
  return rules.with(at - 1, rules[at] as Rule).with(at, rules[at - 1] as Rule)
}
