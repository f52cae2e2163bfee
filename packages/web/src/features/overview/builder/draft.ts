import {
  conditionsIn,
  operatorsOf,
  overviewLimits,
  type StateAttribute,
  StateFilter,
  type StateOperator,
  stateAttributes,
} from '@leitstand/contract/overview'

/** A condition while it is edited; the id is that of its row. */
export interface ConditionDraft {
  id: number
  attribute: StateAttribute
  operator: StateOperator
  /** of which one has to match; the first one is a time or the minutes where there is only one */
  values: readonly string[]
}

export interface GroupDraft {
  id: number
  word: 'and' | 'or'
  items: readonly Draft[]
}

export type Draft = ConditionDraft | GroupDraft

export const isGroup = (draft: Draft): draft is GroupDraft => 'items' in draft

let lastId = 0
const nextId = () => ++lastId

export function newCondition(): ConditionDraft {
  return { id: nextId(), attribute: 'stateIdentifier', operator: 'contains', values: [] }
}

/** A group inside of a group with `word` joins its conditions by the other word. */
export function newGroup(word: 'and' | 'or'): GroupDraft {
  return { id: nextId(), word, items: [newCondition()] }
}

/** A filter as a group that can be edited. */
export function toDraft(filter: StateFilter | undefined): GroupDraft {
  if (filter === undefined) return newGroup('and')
  const draft = draftOf(filter)
  return isGroup(draft) ? draft : { id: nextId(), word: 'and', items: [draft] }
}

function draftOf(filter: StateFilter): Draft {
  if ('and' in filter) return { id: nextId(), word: 'and', items: filter.and.map(draftOf) }
  if ('or' in filter) return { id: nextId(), word: 'or', items: filter.or.map(draftOf) }
  const { attribute, operator, value } = filter
  const values = value === undefined ? [] : Array.isArray(value) ? value.map(String) : [String(value)]
  return { id: nextId(), attribute, operator, values }
}

/** What a condition is compared with. */
export type Input = 'none' | 'minutes' | 'time' | 'ids' | 'choice' | 'texts'

export function inputOf({ attribute, operator }: Pick<ConditionDraft, 'attribute' | 'operator'>): Input {
  if (operator === 'isNull' || operator === 'isNotNull') return 'none'
  if (operator === 'valueOlderThan') return 'minutes'
  const kind = stateAttributes[attribute]
  if (kind === 'time') return 'time'
  if (kind === 'id' || kind === 'optionalId') return 'ids'
  return kind === 'choice' ? 'choice' : 'texts'
}

/** Another attribute or operator; the values stay where they are of the same kind. */
export function withComparison(
  draft: ConditionDraft,
  change: { attribute?: StateAttribute; operator?: StateOperator },
): ConditionDraft {
  const attribute = change.attribute ?? draft.attribute
  const operators: readonly StateOperator[] = operatorsOf[stateAttributes[attribute]]
  const wanted = change.operator ?? draft.operator
  const operator = operators.includes(wanted) ? wanted : (operators[0] ?? 'equals')
  const next = { ...draft, attribute, operator }
  const sameInput = inputOf(next) === inputOf(draft) && inputOf(next) !== 'choice'
  return { ...next, values: sameInput || attribute === draft.attribute ? draft.values : [] }
}

/** The draft with one of its parts replaced; a part replaced by nothing is removed, with groups that become empty. */
export function replaced(group: GroupDraft, id: number, part: Draft | null): GroupDraft {
  const items = group.items.flatMap((item): Draft[] => {
    if (item.id === id) return part ? [part] : []
    if (!isGroup(item)) return [item]
    const inner = replaced(item, id, part)
    return inner.items.length > 0 ? [inner] : []
  })
  return { ...group, items }
}

/** The filter of a draft; null if it is empty. Conditions without a value are left to `faultsOf`. */
export function toFilter(draft: Draft): StateFilter | null {
  if (!isGroup(draft)) return conditionOf(draft)
  const items = draft.items.flatMap((item) => toFilter(item) ?? [])
  if (items.length === 0) return null
  return draft.word === 'and' ? { and: items } : { or: items }
}

function conditionOf(draft: ConditionDraft): StateFilter {
  const { attribute, operator, values } = draft
  const input = inputOf(draft)
  if (input === 'none') return { attribute, operator }
  if (input === 'minutes') return { attribute, operator, value: Number(values[0]) }
  if (input === 'time') return { attribute, operator, value: values[0] ?? '' }
  return { attribute, operator, value: input === 'ids' ? values.map(Number) : [...values] }
}

/** Ids of the conditions whose value is missing or not valid. */
export function faultsOf(draft: Draft): ReadonlySet<number> {
  const wrong = conditionsOfDraft(draft).filter((each) => !StateFilter.safeParse(conditionOf(each)).success)
  return new Set(wrong.map(({ id }) => id))
}

function conditionsOfDraft(draft: Draft): ConditionDraft[] {
  return isGroup(draft) ? draft.items.flatMap(conditionsOfDraft) : [draft]
}

/** Whether there is room for another condition. */
export const hasRoom = (draft: Draft): boolean =>
  conditionsOfDraft(draft).length < overviewLimits.conditionsMax

/** Number of conditions of a filter. */
export const countOf = (filter: StateFilter): number => conditionsIn(filter).length
