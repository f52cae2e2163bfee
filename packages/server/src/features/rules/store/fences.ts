import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import { GeofenceTrigger } from '@leitstand/contract/rules/triggers/geofence'
import { sql } from 'kysely'
import { type Executor, jsonb } from '../../../platform/db/index.ts'
import { inScopesByCategory, type ScopesByCategory } from '../../twins/index.ts'
import type { FenceState } from '../triggers/geofence/judge.ts'

/** A geofence of an active rule. */
export interface Fence {
  id: number
  ruleId: number
  /** of the rule */
  accountId: number
  twinId: number
  /** each of the rule's twins may cross it, not the one it belongs to */
  isForMany: boolean
  trigger: GeofenceTrigger
}

/** Stores the geofences of a rule. Those that stay the same, for the same twins, keep what they know. */
export async function writeFences(
  tx: Executor,
  { ruleId, isForMany }: { ruleId: number; isForMany: boolean },
  triggers: readonly GeofenceTrigger[],
): Promise<void> {
  const wanted = jsonb(triggers)
  await sql`
    delete from rule_fences where rule_id = ${ruleId}
      and (many <> ${isForMany} or definition not in (select jsonb_array_elements(${wanted})))`.execute(tx)
  if (triggers.length === 0) return
  await sql`
    insert into rule_fences (rule_id, definition, many)
    select distinct ${ruleId}::int, w, ${isForMany}::boolean from jsonb_array_elements(${wanted}) as w
    where w not in (select definition from rule_fences where rule_id = ${ruleId})`.execute(tx)
}

/**
 * Geofences of active rules.
 * @param ruleIds absent: all
 * @returns `unreadable`: ids of rules whose geofences do not fit this version; they must not block the others
 */
export async function readFences(
  db: Executor,
  ruleIds?: readonly number[],
): Promise<{ fences: Fence[]; unreadable: number[] }> {
  const { rows } = await sql<Omit<Fence, 'trigger'> & { definition: unknown }>`
    select f.id, f.rule_id as "ruleId", r.account_id as "accountId", r.twin_id as "twinId", f.many as "isForMany",
      f.definition
    from rule_fences f join rules r on r.id = f.rule_id
    where ${ruleIds === undefined ? sql`true` : sql`f.rule_id = any(${[...ruleIds]}::int[])`}
    order by f.id`.execute(db)
  const fences: Fence[] = []
  const unreadable: number[] = []
  for (const { definition, ...row } of rows) {
    const { data: trigger } = GeofenceTrigger.safeParse(definition)
    if (trigger === undefined) unreadable.push(row.ruleId)
    else fences.push({ ...row, trigger })
  }
  return { fences, unreadable }
}

/** Polygons of twins; those without one are missing. */
export async function readPolygons(
  db: Executor,
  twinIds: readonly number[],
): Promise<Map<number, GeoPolygon>> {
  if (twinIds.length === 0) return new Map()
  const { rows } = await sql<{ id: number; polygon: GeoPolygon }>`
    select id, geo_polygon as polygon from twins
    where id = any(${[...twinIds]}::int[]) and geo_polygon is not null`.execute(db)
  return new Map(rows.map(({ id, polygon }) => [id, polygon]))
}

/** Twins and devices in these scopes, with what they are as areas. */
export async function readAreas(
  db: Executor,
  scopes: ScopesByCategory,
  twinIds: readonly number[],
): Promise<Map<number, { type: string; title: string; hasPolygon: boolean }>> {
  const { rows } = await sql<{ id: number; type: string; title: string; hasPolygon: boolean }>`
    select t.id, t.type, t.title, t.geo_polygon is not null as "hasPolygon" from twins t
    where t.id = any(${[...twinIds]}::int[]) and ${inScopesByCategory(scopes)}`.execute(db)
  return new Map(rows.map(({ id, ...area }) => [id, area]))
}

/**
 * Locks twins and fences against deletion, and fences around moving twins against other transactions that judge them: both sides may move, and be in
 * different accounts.
 * @param ruleIds rules for many whose twins must stay the same
 * @returns the ids of the fences that still exist
 */
export async function lockFences(
  tx: Executor,
  {
    twinIds,
    ruleIds,
    fences,
  }: { twinIds: readonly number[]; ruleIds: readonly number[]; fences: readonly Fence[] },
): Promise<Set<number>> {
  const idsOf = (isMoving: boolean) =>
    fences.filter(({ trigger }) => (trigger.area.kind === 'twin') === isMoving).map(({ id }) => id)
  await sql`select id from twins where id = any(${[...twinIds]}::int[]) order by id for key share`.execute(tx)
  // What changes the twins of a rule locks the rule.
  if (ruleIds.length > 0)
    await sql`select id from rules where id = any(${[...ruleIds]}::int[]) order by id for share`.execute(tx)
  const still = await sql<{ id: number }>`
    select id from rule_fences where id = any(${idsOf(false)}::int[]) order by id for key share`.execute(tx)
  const moving = await sql<{ id: number }>`
    select id from rule_fences where id = any(${idsOf(true)}::int[]) order by id for no key update`.execute(
    tx,
  )
  return new Set([...still.rows, ...moving.rows].map(({ id }) => id))
}

/** What is known of a twin: it was compared with all fences up to this one that are of these twins. */
export interface Acquaintance {
  fenceId: number
  above: number[]
}

export async function readAcquaintances(
  tx: Executor,
  twinIds: readonly number[],
): Promise<Map<number, Acquaintance>> {
  const { rows } = await sql<Acquaintance & { twinId: number }>`
    select twin_id as "twinId", fence_id as "fenceId", above from rule_fence_twins
    where twin_id = any(${[...twinIds]}::int[])`.execute(tx)
  return new Map(rows.map(({ twinId, ...known }) => [twinId, known]))
}

export async function saveAcquaintances(
  tx: Executor,
  known: ReadonlyMap<number, Acquaintance>,
): Promise<void> {
  if (known.size === 0) return
  const rows = [...known].map(([id, { fenceId, above }]) => ({ id, fence: fenceId, above }))
  await sql`
    insert into rule_fence_twins (twin_id, fence_id, above)
    select n.id, n.fence, n.above from jsonb_to_recordset(${jsonb(rows)}) as n (id int, fence int, above int[])
    join twins t on t.id = n.id
    order by n.id
    on conflict (twin_id) do update set fence_id = excluded.fence_id, above = excluded.above`.execute(tx)
}

/** By twin and rule for many: up to which of the rule's fences the twin was compared; null: with none yet. */
export type Memberships = Map<number, Map<number, number | null>>

/** Which of these rules for many these twins belong to. */
export async function readMemberships(
  db: Executor,
  twinIds: readonly number[],
  ruleIds: readonly number[],
): Promise<Memberships> {
  if (twinIds.length === 0 || ruleIds.length === 0) return new Map()
  const { rows } = await sql<{ twinId: number; ruleId: number; fenceId: number | null }>`
    select twin_id as "twinId", rule_id as "ruleId", fence_id as "fenceId" from rule_members
    where twin_id = any(${[...twinIds]}::int[]) and rule_id = any(${[...ruleIds]}::int[])`.execute(db)
  const found: Memberships = new Map()
  for (const { twinId, ruleId, fenceId } of rows) {
    const known = found.get(twinId)
    if (known === undefined) found.set(twinId, new Map([[ruleId, fenceId]]))
    else known.set(ruleId, fenceId)
  }
  return found
}

/** Stores up to which fences twins of rules for many were compared. */
export async function saveMemberships(tx: Executor, members: Memberships): Promise<void> {
  const rows = [...members].flatMap(([twinId, rules]) =>
    [...rules].map(([ruleId, fenceId]) => ({ twinId, ruleId, fenceId })),
  )
  if (rows.length === 0) return
  await sql`
    update rule_members m set fence_id = n.fence_id
    from unnest(${rows.map(({ twinId }) => twinId)}::int[], ${rows.map(({ ruleId }) => ruleId)}::int[],
      ${rows.map(({ fenceId }) => fenceId)}::int[]) as n (twin_id, rule_id, fence_id)
    where m.rule_id = n.rule_id and m.twin_id = n.twin_id`.execute(tx)
}

/** Forgets twins that a rule for many no longer runs on. */
export async function forgetOtherMembers(tx: Executor, ruleId: number): Promise<void> {
  await sql`
    delete from rule_fence_states s using rule_fences f
    where f.rule_id = ${ruleId} and f.many and s.fence_id = f.id
      and not exists (select from rule_members m where m.rule_id = ${ruleId} and m.twin_id = s.twin_id)`.execute(
    tx,
  )
}

/** A twin and what it is compared with. */
export interface Pair {
  fenceId: number
  twinId: number
  /** null: a circle, or all zones together */
  targetId: number | null
}

export type PairState = Pair & FenceState

/** The pairs of these twins of which something is stored. */
export async function readTouched(
  db: Executor,
  twinIds: readonly number[],
): Promise<Pick<Pair, 'fenceId' | 'twinId'>[]> {
  const { rows } = await sql<Pick<Pair, 'fenceId' | 'twinId'>>`
    select distinct fence_id as "fenceId", twin_id as "twinId" from rule_fence_states
    where twin_id = any(${[...twinIds]}::int[])`.execute(db)
  return rows
}

/** What is stored of pairs that one of these twins is in, locked until the transaction ends. */
export async function readPairs(tx: Executor, twinIds: readonly number[]): Promise<PairState[]> {
  const ids = [...twinIds]
  const { rows } = await sql<Pair & { inside: boolean; since: Date; dueAt: Date | null }>`
    select fence_id as "fenceId", twin_id as "twinId", target_id as "targetId", inside, since, due_at as "dueAt"
    from rule_fence_states
    where id = any(array(select id from rule_fence_states where twin_id = any(${ids}::int[])
      union all select id from rule_fence_states where target_id = any(${ids}::int[])))
    order by id for update`.execute(tx)
  return rows.map(({ inside, since, dueAt, ...pair }) => ({
    ...pair,
    isInside: inside,
    sinceMs: since.getTime(),
    dueMs: dueAt?.getTime() ?? null,
  }))
}

/** Stores states of pairs whose fence and twins still exist. */
export async function savePairs(tx: Executor, pairs: readonly PairState[]): Promise<void> {
  if (pairs.length === 0) return
  const times = (of: (pair: PairState) => number | null) =>
    pairs.map((pair) => {
      const ms = of(pair)
      return ms === null ? null : new Date(ms)
    })
  await sql`
    insert into rule_fence_states (fence_id, twin_id, target_id, inside, since, due_at)
    select n.* from unnest(${pairs.map(({ fenceId }) => fenceId)}::int[], ${pairs.map(({ twinId }) => twinId)}::int[],
      ${pairs.map(({ targetId }) => targetId)}::int[], ${pairs.map(({ isInside }) => isInside)}::boolean[],
      ${times(({ sinceMs }) => sinceMs)}::timestamptz[], ${times(({ dueMs }) => dueMs)}::timestamptz[])
      as n (fence_id, twin_id, target_id, inside, since, due_at)
    join rule_fences f on f.id = n.fence_id
    where n.target_id is null or exists (select from twins z where z.id = n.target_id)
    order by n.fence_id, n.twin_id, n.target_id
    on conflict (fence_id, twin_id, target_id) do update
      set inside = excluded.inside, since = excluded.since, due_at = excluded.due_at`.execute(tx)
}

export async function deletePairs(tx: Executor, pairs: readonly Pair[]): Promise<void> {
  if (pairs.length === 0) return
  await sql`
    delete from rule_fence_states s
    using unnest(${pairs.map(({ fenceId }) => fenceId)}::int[], ${pairs.map(({ twinId }) => twinId)}::int[],
      ${pairs.map(({ targetId }) => targetId)}::int[]) as n (fence_id, twin_id, target_id)
    where s.fence_id = n.fence_id and s.twin_id = n.twin_id and s.target_id is not distinct from n.target_id`.execute(
    tx,
  )
}

/** Forgets twins that no longer have a position. */
export async function forgetTwins(tx: Executor, twinIds: readonly number[]): Promise<void> {
  if (twinIds.length === 0) return
  const ids = [...twinIds]
  await sql`delete from rule_fence_twins where twin_id = any(${ids}::int[])`.execute(tx)
  await sql`
    delete from rule_fence_states where twin_id = any(${ids}::int[]) or target_id = any(${ids}::int[])`.execute(
    tx,
  )
}

/** A twin that has a position. */
export interface PlacedTwin {
  id: number
  latitude: number
  longitude: number
}

/** Twins that have a position. */
export async function readPlaces(db: Executor, twinIds: readonly number[]): Promise<PlacedTwin[]> {
  if (twinIds.length === 0) return []
  const { rows } = await sql<PlacedTwin>`
    select id, latitude, longitude from twins
    where id = any(${[...twinIds]}::int[]) and latitude is not null and longitude is not null`.execute(db)
  return rows
}

/** Twins of a rule for many that have a position; at most `limit`. */
export async function readPlacesOfMembers(
  db: Executor,
  ruleId: number,
  limit: number,
): Promise<PlacedTwin[]> {
  const { rows } = await sql<PlacedTwin>`
    select t.id, t.latitude, t.longitude from rule_members m join twins t on t.id = m.twin_id
    where m.rule_id = ${ruleId} and t.latitude is not null and t.longitude is not null
    order by t.id limit ${limit}`.execute(db)
  return rows
}

/** Twins that have a position, among a twin and those below it; at most `limit`. */
export async function readPlacesBelow(db: Executor, twinId: number, limit: number): Promise<PlacedTwin[]> {
  const { rows } = await sql<PlacedTwin>`
    with recursive down as (
      select id from twins where id = ${twinId}
      union all
      select t.id from down join twins t on t.parent_id = down.id)
    select t.id, t.latitude, t.longitude from down join twins t on t.id = down.id
    where t.latitude is not null and t.longitude is not null order by t.id limit ${limit}`.execute(db)
  return rows
}

/**
 * Takes twins that have stayed long enough. Those of zones that have no polygon any more wake nothing.
 * @returns `taken`: how many were due
 */
export async function takeDueStays(
  tx: Executor,
  now: Date,
  limit: number,
): Promise<{
  taken: number
  wakes: { fence: Omit<Fence, 'id'>; twinId: number; targetId: number | null }[]
}> {
  const { rows } = await sql<
    Omit<Fence, 'id' | 'trigger'> & {
      movedId: number
      targetId: number | null
      definition: unknown
      hasArea: boolean
    }
  >`
    update rule_fence_states s set due_at = null
    from (select id from rule_fence_states where due_at <= ${now} order by due_at limit ${limit}
      for update skip locked) as d, rule_fences f, rules r
    where s.id = d.id and f.id = s.fence_id and r.id = f.rule_id
    returning f.rule_id as "ruleId", r.account_id as "accountId", r.twin_id as "twinId", s.twin_id as "movedId",
      s.target_id as "targetId", f.many as "isForMany", f.definition,
      f.definition -> 'area' ->> 'kind' <> 'zones' or exists (select from twins z
        where z.geo_polygon is not null and z.id = any(case when s.target_id is null
          then array(select jsonb_array_elements_text(f.definition #> '{area,zoneIds}')::int)
          else array[s.target_id] end)) as "hasArea"`.execute(tx)
  const wakes = rows.flatMap(({ movedId, targetId, definition, hasArea, ...rule }) => {
    const { data: trigger } = GeofenceTrigger.safeParse(definition)
    return trigger === undefined || !hasArea
      ? []
      : [{ fence: { ...rule, trigger }, twinId: movedId, targetId }]
  })
  return { taken: rows.length, wakes }
}
