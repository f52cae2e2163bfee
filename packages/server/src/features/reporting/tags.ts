import { costOf, matches, type Pattern } from './influxql/pattern.ts'
import { type TagCondition, type TagName, tagNames } from './influxql/syntax.ts'

/** A state as a series of the measurement. */
export interface TaggedState {
  id: number
  tags: Readonly<Record<TagName, string>>
}

/** Whether a state meets a condition. */
export function meets(condition: TagCondition | null, tags: TaggedState['tags']): boolean {
  if (condition === null) return true
  switch (condition.kind) {
    case 'and':
      return condition.of.every((each) => meets(each, tags))
    case 'or':
      return condition.of.some((each) => meets(each, tags))
    case 'is':
      return (tags[condition.tag] === condition.value) !== condition.negated
    case 'matches':
      return matches(condition.pattern, tags[condition.tag]) !== condition.negated
  }
}

/** Maximum comparisons needed to search these states. */
export function costOfMeeting(condition: TagCondition | null, states: readonly TaggedState[]): number {
  const lengths = new Map<TagName, Map<number, number>>(tagNames.map((tag) => [tag, new Map()]))
  for (const { tags } of states)
    for (const [tag, counts] of lengths) counts.set(tags[tag].length, (counts.get(tags[tag].length) ?? 0) + 1)
  let sum = 0
  for (const { tag, pattern } of patternsOf(condition))
    for (const [length, count] of lengths.get(tag) ?? []) sum += count * costOf(pattern, length)
  return sum
}

function patternsOf(condition: TagCondition | null): { tag: TagName; pattern: Pattern }[] {
  if (condition === null || condition.kind === 'is') return []
  return condition.kind === 'matches' ? [condition] : condition.of.flatMap(patternsOf)
}

/** The only values of a tag that can meet a condition; null: any. Lets the database skip other states. */
export function possible(condition: TagCondition | null, tag: TagName): ReadonlySet<string> | null {
  if (condition === null) return null
  switch (condition.kind) {
    case 'is':
      return condition.tag === tag && !condition.negated ? new Set([condition.value]) : null
    case 'matches':
      return condition.tag === tag && !condition.negated ? condition.pattern.literals : null
    case 'and': {
      const [first, ...others] = condition.of.flatMap((each) => possible(each, tag) ?? [])
      if (first === undefined) return null
      return new Set([...first].filter((value) => others.every((other) => other.has(value))))
    }
    case 'or': {
      const all = new Set<string>()
      for (const each of condition.of) {
        const own = possible(each, tag)
        if (own === null) return null
        for (const value of own) all.add(value)
      }
      return all
    }
  }
}

/** States with the same values for some tags. */
export interface Group {
  tags: Partial<Record<TagName, string>>
  stateIds: readonly number[]
}

/** Groups ordered by the values of their tags; without tags all states form one group. */
export function groupsOf(states: readonly TaggedState[], tags: readonly TagName[]): Group[] {
  const groups = new Map<string, { values: string[]; stateIds: number[] }>()
  for (const state of states) {
    const values = tags.map((tag) => state.tags[tag])
    const name = JSON.stringify(values)
    const group = groups.get(name) ?? { values, stateIds: [] }
    groups.set(name, group)
    group.stateIds.push(state.id)
  }
  return [...groups.values()]
    .sort((a, b) => inOrder(a.values, b.values))
    .map(({ values, stateIds }) => ({
      tags: Object.fromEntries(tags.map((tag, index) => [tag, values[index] as string])),
      stateIds,
    }))
}

function inOrder(a: readonly string[], b: readonly string[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] as string
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}

/** All values of a tag, in order. */
export function valuesOf(states: readonly TaggedState[], tag: TagName): string[] {
  return [...new Set(states.map(({ tags }) => tags[tag]))].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}
