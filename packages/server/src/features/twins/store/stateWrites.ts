import { foldFields } from '@leitstand/contract/search'
import type { SourceSettings, State, Visualization } from '@leitstand/contract/states'
import { type RawBuilder, sql } from 'kysely'
import { int4Array } from '../../../platform/db/arrays.ts'
import { type Executor, jsonb } from '../../../platform/db/index.ts'
import { clearCurrent } from '../../series/index.ts'
import type { CheckedSource, StateInput } from '../sources/types.ts'
import { ints } from './filters.ts'

/** The columns of a state defined by users, drivers and templates. */
export interface StateColumns {
  title: string
  unit: string
  icon: string | null
  source: State['source']
  source_settings: SourceSettings
  connector_id: number | null
  identifier: string | null
  variable: string | null
  value_type: State['valueType']
  transformer: string | null
  lower_bound: number | null
  upper_bound: number | null
  decimals: number | null
  visualization: Visualization
  position_axis: State['positionAxis']
}

export function stateColumns(input: StateInput, source: CheckedSource): StateColumns {
  return {
    title: input.title,
    unit: input.unit,
    icon: input.icon,
    source: input.source,
    source_settings: source.settings,
    connector_id: source.connectorId,
    identifier: source.identifier,
    variable: source.variable,
    value_type: input.valueType,
    transformer: input.transformer,
    lower_bound: input.lowerBound,
    upper_bound: input.upperBound,
    decimals: input.decimals,
    visualization: input.visualization,
    position_axis: input.positionAxis,
  }
}

/** A state to add; missing columns are empty. */
export type NewState = Partial<StateColumns> &
  Pick<StateColumns, 'title' | 'source' | 'value_type'> & { key: string; fixed?: boolean }

/** A state fed by the variable of the same name in packets; without a title it has that of the variable. */
export function fedState(variable: {
  key: string
  title: string
  unit: string
  valueType: State['valueType']
}): NewState {
  return {
    key: variable.key,
    title: variable.title || variable.key,
    unit: variable.unit,
    value_type: variable.valueType,
    source: 'connector',
    source_settings: { variable: variable.key },
    variable: variable.key,
  }
}

/** Types of the columns in JSON. */
const definition = sql`def integer, key text, title text, search text, unit text, icon text, source text, source_settings jsonb,
  connector_id integer, identifier text, variable text, value_type text, transformer text, lower_bound double precision,
  upper_bound double precision, decimals smallint, visualization jsonb, position_axis text, fixed boolean`

/** The statement that adds states; what follows selects these columns. */
const insertion = sql`
  insert into states (key, title, search, unit, icon, source, source_settings, connector_id, identifier, variable, value_type,
    transformer, lower_bound, upper_bound, decimals, visualization, position_axis, fixed, scope_id, of_device, twin_id,
    position, created_at, updated_at)`

/** The columns that a definition gives, in the order of `insertion`. */
const defined = sql`d.key, d.title, d.search, coalesce(d.unit, ''), d.icon, d.source, coalesce(d.source_settings, '{}'),
  d.connector_id, d.identifier, d.variable, d.value_type, d.transformer, d.lower_bound, d.upper_bound, d.decimals,
  coalesce(d.visualization, '{}'), d.position_axis, coalesce(d.fixed, false)`

/** Their texts are folded once here, and not by the database for each of the states (0131). */
function definitionsOf(states: readonly NewState[]): string {
  return JSON.stringify(
    states.map((state, def) => ({ def, ...state, search: foldFields(state.title, state.key) })),
  )
}

export interface AddedState {
  id: number
  twinId: number
  key: string
}

/**
 * Appends states to twins or devices. Keys that a twin already has are skipped and not returned.
 * @param groups each of `states` is added to each of `twinIds`
 */
export async function addStates(
  tx: Executor,
  groups: readonly { twinIds: readonly number[]; states: readonly NewState[] }[],
  { now }: { now?: Date } = {},
): Promise<AddedState[]> {
  const { twins, defs, places } = additionsOf(groups)
  if (twins.length === 0) return []
  const at = now === undefined ? sql`now()` : sql`${now}`
  const { rows } = await sql<AddedState>`
    -- The scope of each twin, locked until the end of the transaction so that the copies are those after a move.
    with owners as materialized (
      select t.* from unnest(${int4Array([...new Set(twins)])}::int4[]) as wanted (id)
      cross join lateral (
        select id, scope_id, category = 'virtualDevice' as of_device from twins where id = wanted.id for share) as t)
    ${insertion}
    select ${defined}, o.scope_id, o.of_device, p.twin_id, before.last + p.place, ${at}, ${at}
    from unnest(${int4Array(twins)}::int4[], ${int4Array(defs)}::int4[], ${int4Array(places)}::int4[])
      as p (twin_id, def, place)
    join jsonb_to_recordset(${definitionsOf(groups.flatMap(({ states }) => states))}::jsonb) as d (${definition})
      on d.def = p.def
    left join owners o on o.id = p.twin_id
    ${lastOf(twins)}
    order by p.twin_id, p.place
    on conflict (twin_id, key) do nothing
    returning id, twin_id as "twinId", key`.execute(tx)
  return rows
}

/**
 * Adds states to devices that were created in this transaction and have none: nothing has to be looked up, for which the
 * database would read the states of all devices while its statistics are outdated, and nobody else can know the devices.
 * @param states each is added to each of the devices; of several with one key the first
 */
export async function addStatesOfNew(
  tx: Executor,
  devices: readonly { twinId: number; scopeId: number }[],
  states: readonly NewState[],
  now: Date,
): Promise<void> {
  if (devices.length === 0 || states.length === 0) return
  const keys = new Set<string>()
  const firsts = states.filter(({ key }) => keys.size < keys.add(key).size)
  await sql`
    /* prepared: twins.addStatesOfNew */
    ${insertion}
    select ${defined}, t.scope_id, true, t.twin_id, d.def + 1, ${now}, ${now}
    from unnest(${int4Array(devices.map(({ twinId }) => twinId))}::int4[],
      ${int4Array(devices.map(({ scopeId }) => scopeId))}::int4[]) as t (twin_id, scope_id)
    cross join jsonb_to_recordset(${definitionsOf(firsts)}::jsonb) as d (${definition})
    -- Next to each other in the table and its indexes, because they are read together.
    order by t.twin_id, d.def`.execute(tx)
}

/** The last position of each twin, joined as `before`. */
function lastOf(twinIds: readonly number[]): RawBuilder<unknown> {
  return sql`join (
    select t.id, (select coalesce(max(s.position), 0) from states s where s.twin_id = t.id)
    from unnest(${[...new Set(twinIds)]}::int[]) as t (id)) as before (twin_id, last) on before.twin_id = p.twin_id`
}

/** Pairs of twins and definitions, with the position after the existing states. */
function additionsOf(groups: readonly { twinIds: readonly number[]; states: readonly unknown[] }[]) {
  const twins: number[] = []
  const defs: number[] = []
  const places: number[] = []
  const counts = new Map<number, number>()
  let first = 0
  for (const { twinIds, states } of groups) {
    for (const twinId of twinIds) {
      const before = counts.get(twinId) ?? 0
      for (const place of states.keys()) {
        twins.push(twinId)
        defs.push(first + place)
        places.push(before + place + 1)
      }
      counts.set(twinId, before + states.length)
    }
    first += states.length
  }
  return { twins, defs, places }
}

/** Updates the editable columns and increments the version. The key does not change. */
export async function updateState(
  tx: Executor,
  id: number,
  input: StateInput,
  source: CheckedSource,
  now: Date,
): Promise<void> {
  const columns = stateColumns(input, source)
  await tx
    .updateTable('states')
    .set({
      ...columns,
      source_settings: jsonb({ ...columns.source_settings }),
      visualization: jsonb({ ...columns.visualization }),
      updated_at: now,
      version: sql<number>`version + 1`,
    })
    .where('id', '=', id)
    .execute()
}

/** The target definition of a state. */
export interface WantedState {
  id: number
  input: StateInput
  source: CheckedSource
}

const writtenColumns = [
  'title',
  'unit',
  'icon',
  'source',
  'source_settings',
  'connector_id',
  'identifier',
  'variable',
  'value_type',
  'transformer',
  'lower_bound',
  'upper_bound',
  'decimals',
  'visualization',
  'position_axis',
] as const satisfies (keyof StateColumns)[]

/**
 * Updates states that differ from the wanted ones. A current value of another type is deleted; its history is kept.
 * @param options.fixed marks them as states of a device template
 * @returns ids of the states that differed
 */
export async function fixStates(
  tx: Executor,
  states: readonly WantedState[],
  now: Date,
  { fixed = true }: { fixed?: boolean } = {},
): Promise<number[]> {
  if (states.length === 0) return []
  const rows = states.map(({ id, input, source }) => ({ def: id, ...stateColumns(input, source) }))
  const of = (table: string) => sql.join(writtenColumns.map((column) => sql.ref(`${table}.${column}`)))
  const changed = await sql<{ id: number; retyped: boolean }>`
    with wanted as (select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (${definition})),
    before as (select id, value_type from states where id in (select def from wanted))
    update states s set (${sql.join(writtenColumns.map((column) => sql.ref(column)))}) = row(${of('n')}),
      fixed = ${fixed}, updated_at = ${now}, version = version + 1
    from wanted n join before b on b.id = n.def
    where s.id = n.def and ((${of('s')}, s.fixed) is distinct from (${of('n')}, ${fixed}::boolean))
    returning s.id, b.value_type <> s.value_type as retyped`.execute(tx)
  await clearCurrent(
    tx,
    changed.rows.filter(({ retyped }) => retyped).map(({ id }) => id),
  )
  return changed.rows.map(({ id }) => id)
}

/** Changes type and unit of states; deletes their current values and keeps their history. */
export async function retypeStates(
  tx: Executor,
  states: readonly { id: number; valueType: State['valueType']; unit: string }[],
  now: Date,
): Promise<void> {
  if (states.length === 0) return
  const ids = states.map(({ id }) => id)
  await sql`
    update states s set value_type = n.value_type, unit = n.unit, updated_at = ${now}, version = version + 1
    from unnest(${ints(ids)}, ${states.map(({ valueType }) => valueType)}::text[],
      ${states.map(({ unit }) => unit)}::text[]) as n (id, value_type, unit)
    where s.id = n.id`.execute(tx)
  await clearCurrent(tx, ids)
}

/** Makes fixed states of a device editable: these, or all. */
export async function releaseStates(tx: Executor, twinId: number, ids?: readonly number[]): Promise<void> {
  await sql`
    update states set fixed = false
    where twin_id = ${twinId} and fixed ${ids === undefined ? sql`` : sql`and id = any(${ints(ids)})`}`.execute(
    tx,
  )
}

/** Deletes states with their values. The caller must have checked `findUnusedStates` or `isLinked`. */
export async function deleteStates(tx: Executor, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  // Some of them may be computed from others.
  await sql`delete from state_links where state_id = any(${ints(ids)})`.execute(tx)
  await sql`delete from states where id = any(${ints(ids)})`.execute(tx)
}

/** Sorts states in the order of the ids; the others follow in their previous order. */
export async function orderStates(tx: Executor, twinId: number, stateIds: readonly number[]): Promise<void> {
  await sql`
    update states s set position = ordered.place
    from (select o.id, row_number() over (order by array_position(${ints(stateIds)}, o.id) nulls last, o.position, o.id)::int as place
      from states o where o.twin_id = ${twinId}) as ordered
    where s.id = ordered.id and s.position <> ordered.place`.execute(tx)
}
