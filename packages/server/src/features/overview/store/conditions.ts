import type { StateAttribute, StateCondition, StateFilter } from '@leitstand/contract/overview'
import { parseSearch } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { matches, matchesTexts, parseKeyValueFilter } from '../../../platform/db/textFilter.ts'
import { type Condition, ints, texts } from '../../twins/index.ts'

/** Tables joined to `states s`: `twins t`, `virtual_devices d` (none for twins) and `state_current c` (none without a value). */
export type Table = 'twin' | 'device' | 'current'

/** A condition and the tables it refers to. */
export interface Held {
  readonly where: Condition
  readonly of: readonly Table[]
}

type Column = RawBuilder<unknown>
type Value = string | number

/** The comparisons of an attribute: with a list of values, and whether it has one at all. */
interface Comparison {
  readonly of: readonly Table[]
  readonly isAny?: (values: readonly Value[]) => Condition
  /** contains a text; `exact`: is that text */
  readonly isText?: (value: string, exact: boolean) => Condition
  readonly isMissing?: Condition
}

const numbers = (column: Column) => (values: readonly Value[]) =>
  sql<boolean>`${column} = any(${ints(values.map(Number))})`
const words = (column: Column) => (values: readonly Value[]) =>
  sql<boolean>`${column} = any(${texts(values.map(String))})`
const overlaps = (column: Column) => (values: readonly Value[]) =>
  sql<boolean>`${column} && ${texts(values.map(String))}`

/** A text of which nothing is left when folded, such as `-`, is compared as it is. */
const searchOf = (value: string, exact: boolean) =>
  parseSearch(exact ? `"${value.replaceAll('"', '')}"` : value)

const folded = (column: Column) => (value: string, exact: boolean) => {
  const search = searchOf(value, exact)
  return search ? matches([column], search) : sql<boolean>`position(${value} in ${column}) > 0`
}

function unfolded(column: Column, value: string, exact: boolean): Condition {
  const search = searchOf(value, exact)
  return search ? matchesTexts([column], search) : sql<boolean>`${column} = ${value}`
}

/** States have few different units and variables: folding each once is faster than once for every state. */
const ofFew = (column: 'unit' | 'variable') => (value: string, exact: boolean) =>
  sql<boolean>`
  s.${sql.ref(column)} in (
    select u.given from (select distinct f.${sql.ref(column)} as given from states f) as u
    where ${unfolded(sql`u.given`, value, exact)})`

/** Devices are looked up first, in the index on their titles and identifiers, and each is folded once. */
function isSource(value: string, exact: boolean): Condition {
  const search = searchOf(value, exact)
  const found = search ? sql`${matches([sql`f.search`], search)} and` : sql``
  return sql<boolean>`case when s.identifier is not null then ${unfolded(sql`s.identifier`, value, exact)}
    else s.twin_id in (
      select f.twin_id from virtual_devices f where ${found} ${unfolded(sql`f.external_id`, value, exact)}) end`
}

function hasPair(typed: string): Condition {
  const pair = parseKeyValueFilter(typed)
  if (!pair) return sql<boolean>`false`
  const has = sql<boolean>`t.key_values ? ${pair.key}`
  if (!pair.value) return has
  return sql<boolean>`(${has} and ${matchesTexts([sql`t.key_values ->> ${pair.key}`], pair.value)})`
}

const connector = sql`coalesce(s.connector_id, d.connector_id)`

const comparisons: Record<StateAttribute, Comparison> = {
  accountId: { of: ['twin'], isAny: numbers(sql`t.account_id`) },
  configId: { of: ['device'], isAny: numbers(connector), isMissing: sql`${connector} is null` },
  stateId: { of: [], isAny: numbers(sql`s.id`) },
  dtwinId: { of: [], isAny: numbers(sql`s.twin_id`) },
  dtwinTitle: { of: ['twin'], isText: folded(sql`t.search`) },
  unit: { of: [], isText: ofFew('unit'), isMissing: sql`s.unit = ''` },
  stateIdentifier: { of: [], isText: folded(sql`s.search`) },
  stateType: { of: [], isAny: words(sql`s.value_type`) },
  sourceType: { of: [], isAny: words(sql`s.source`) },
  parserVariable: { of: [], isText: ofFew('variable'), isMissing: sql`s.variable is null` },
  sourceIdentifier: {
    of: ['device'],
    isText: isSource,
    isMissing: sql`coalesce(s.identifier, d.external_id) is null`,
  },
  // The column of the join, by which the planner recognises that no row is wanted.
  timestamp: { of: ['current'], isMissing: sql`c.state_id is null` },
  twin_category: {
    of: [],
    isAny: (values) => sql`s.of_device = any(${values.map((value) => value === 'virtualDevice')}::boolean[])`,
  },
  geolocation: { of: ['twin'], isMissing: sql`t.latitude is null` },
  vdevice_groups: {
    of: ['device'],
    isAny: overlaps(sql`d.groups`),
    isMissing: sql`coalesce(d.groups, '{}') = '{}'`,
  },
  twin_tags: { of: ['twin'], isAny: overlaps(sql`t.tags`), isMissing: sql`t.tags = '{}'` },
  twin_key_value: { of: ['twin'], isText: hasPair, isMissing: sql`t.key_values = '{}'` },
  device_driver_id: {
    of: ['device'],
    isAny: numbers(sql`d.driver_id`),
    isMissing: sql`d.driver_id is null`,
  },
}

/**
 * A filter as a condition on the tables it names. What is missing equals and contains nothing, so that the
 * opposite operators find it.
 */
export function conditionOf(filter: StateFilter, now: Date): Held {
  if ('and' in filter) return joined(filter.and, sql` and `, now)
  if ('or' in filter) return joined(filter.or, sql` or `, now)
  return { where: compare(filter, now), of: comparisons[filter.attribute].of }
}

function joined(filters: readonly StateFilter[], word: RawBuilder<unknown>, now: Date): Held {
  const held = filters.map((filter) => conditionOf(filter, now))
  const where = sql<boolean>`(${sql.join(
    held.map((each) => each.where),
    word,
  )})`
  return { where, of: held.flatMap(({ of }) => of) }
}

function compare(condition: StateCondition, now: Date): Condition {
  const { value } = condition
  const { isMissing = sql<boolean>`false` } = comparisons[condition.attribute]
  switch (condition.operator) {
    case 'isNull':
      return isMissing
    case 'isNotNull':
      return sql<boolean>`(${isMissing}) is not true`
    case 'equals':
      return holds(condition, true)
    case 'contains':
      return holds(condition, false)
    case 'notEquals':
      return sql<boolean>`(${holds(condition, true)}) is not true`
    case 'notContains':
      return sql<boolean>`(${holds(condition, false)}) is not true`
    case 'greaterThan':
      return sql<boolean>`c.time > ${new Date(String(value))}`
    case 'lessThan':
      return sql<boolean>`c.time < ${new Date(String(value))}`
    case 'valueOlderThan': {
      // A state that never had a value is as silent as one whose value is old, as in the list of devices.
      const before = new Date(now.getTime() - Number(value) * 60_000)
      return sql<boolean>`(c.time is null or c.time < ${before})`
    }
  }
}

/** Whether any of the values matches. */
function holds({ attribute, value }: StateCondition, exact: boolean): Condition {
  const { isAny, isText } = comparisons[attribute]
  const values = value === undefined ? [] : Array.isArray(value) ? value : [value]
  if (isAny) return isAny(values)
  if (!isText || values.length === 0) throw new Error(`${attribute} is not compared with values`)
  return sql<boolean>`(${sql.join(
    values.map((each) => isText(String(each), exact)),
    sql` or `,
  )})`
}
