import { type MarkerColor, type Markers, markerColors } from '@leitstand/contract/mapSettings'
import { type Level, levels } from '@leitstand/contract/states'
import { type RawBuilder, sql } from 'kysely'
import { float8Array } from '../../../platform/db/arrays.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { ints, texts } from './filters.ts'
import { levelRank } from './levels.ts'

/** Colours of twins, as places in `markerColors`; twins that are coloured by all of their limits are missing. */
export type MarkerColors = ReadonlyMap<number, number>

export const colorOfLevel: Record<Level, MarkerColor> = {
  ok: 'green',
  warning: 'yellow',
  invalid: 'violet',
  error: 'red',
}

/** Places of the colours of levels in `markerColors`, in the order of their ranks. */
const colorsOfRanks = levels.map((level) => markerColors.indexOf(colorOfLevel[level]))

/** The place in `markerColors` of a rank. */
export const colorOfRank = (rank: RawBuilder<number | null>): RawBuilder<number | null> =>
  sql`(${ints(colorsOfRanks)})[${rank} + 1]`

/** Rows `a` with what operators ask for, in their order. */
export function askedRules({ operators }: Pick<Markers, 'operators'>): RawBuilder<unknown> {
  const numbers = operators.map(({ value }) => (typeof value === 'number' ? value : null))
  return sql`unnest(${texts(operators.map(({ state }) => state))}, ${texts(operators.map(({ operator }) => operator))},
    ${float8Array(numbers)}::float8[], ${texts(operators.map(({ value }) => String(value)))})
    with ordinality as a (name, operator, num, txt, place)`
}

/** Null without a value. */
const isEqual = sql`(case when c.num is not null then c.num is not distinct from a.num
  when c.bool is not null then c.bool::text = lower(a.txt) else c.txt = a.txt end)`

/** Whether the current value `c` fits an operator `a`. */
export const fits = sql<boolean>`(case a.operator when 'gt' then c.num > a.num when 'gte' then c.num >= a.num
  when 'lt' then c.num < a.num when 'lte' then c.num <= a.num
  when 'eq' then ${isEqual} else not ${isEqual} end)`

/** Whether a state `s` is meant by one of these keys and titles. */
const isOneOf = (names: readonly string[]) =>
  sql<boolean>`(s.key = any(${texts(names)}) or lower(s.title) = any(array(select lower(n.name) from unnest(${texts(names)}) as n (name))))`

/**
 * The colours that operators and shown states give to digital twins, as places in `markerColors`. Reads every state with
 * these names once; those of a twin are in its scope.
 * @param twinIds '*': of all twins with states in the scopes
 */
export async function readMarkerColors(
  db: Executor,
  { asked, scopeIds }: { asked: Markers; scopeIds: readonly number[] },
  twinIds: readonly number[] | '*',
): Promise<[id: number, color: number][]> {
  const names = [...new Set([...asked.states, ...asked.operators.map(({ state }) => state)])]
  const colors = asked.operators.map(({ color }) => markerColors.indexOf(color))
  const { rows } = await sql<{ id: number; color: number }>`
    with found as (
      select s.twin_id, ${isOneOf(asked.states)} as is_shown, ${levelRank} as rank, (
        select min(a.place)::int from ${askedRules(asked)}
        where (s.key = a.name or lower(s.title) = lower(a.name)) and ${fits}) as rule
      from states s join state_current c on c.state_id = s.id
      where not s.of_device and s.scope_id = any(${ints(scopeIds)}) and ${isOneOf(names)}
        and ${twinIds === '*' ? sql`true` : sql`s.twin_id = any(${ints(twinIds)})`}),
    ranked as (
      select twin_id as id, min(rule) as rule, max(rank) filter (where is_shown) as rank from found group by twin_id),
    colored as (
      select id, coalesce((${ints(colors)})[rule], ${colorOfRank(sql`rank`)}) as color from ranked)
    select id, color from colored where color is not null`.execute(db)
  return rows.map(({ id, color }) => [id, color])
}
