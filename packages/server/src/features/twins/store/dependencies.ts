import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import type { ScopesByCategory } from '../policy.ts'
import { inScopesByCategory, ints } from './filters.ts'

/** How many dependencies are listed by name. */
export const dependenciesMax = 100

export interface Dependency {
  kind: 'twin' | 'virtualDevice' | 'aggregate' | 'dashboard' | 'rule'
  id: number
  title: string
  blocking: boolean
  /** the twin or device an aggregate or rule belongs to */
  owner: { kind: 'twin' | 'virtualDevice'; id: number } | null
}

interface Row extends Omit<Dependency, 'owner'> {
  visible: boolean
  ownerKind: 'twin' | 'virtualDevice' | null
  ownerId: number | null
}

function toDependency({ kind, id, title, blocking, ownerKind, ownerId }: Row): Dependency {
  return { kind, id, title, blocking, owner: ownerKind && ownerId ? { kind: ownerKind, id: ownerId } : null }
}

/**
 * What hangs on a twin or device: children, states elsewhere that are computed from its states (both refuse
 * deletion), and rules of other twins and dashboards that use it (they lose their source).
 *
 * Blocking ones count even where the caller may not see them; their titles are only told where the caller may.
 * @param dashboardScopes scopes in which the caller may see dashboards
 */
export async function loadDependencies(
  db: Executor,
  twinId: number,
  scopes: ScopesByCategory,
  dashboardScopes: readonly number[],
): Promise<{ blocking: boolean; items: Dependency[]; more: boolean }> {
  const visible = inScopesByCategory(scopes)
  const kind = sql`case t.category when 'digitalTwin' then 'twin' else 'virtualDevice' end`
  const { rows } = await sql<Row>`
    select kind, id, title, blocking, visible, owner_kind as "ownerKind", owner_id as "ownerId" from (
      (select ${kind} as kind, t.id, t.title, true as blocking, ${visible} as visible, 1 as place,
          null as owner_kind, null::int as owner_id
        from twins t where t.parent_id = ${twinId} limit ${dependenciesMax + 1})
      union all
      (select 'aggregate', s.id, t.title || ' · ' || s.title, true, ${visible}, 2, ${kind}, t.id
        from states own
        join state_links l on l.source_state_id = own.id
        join states s on s.id = l.state_id
        join twins t on t.id = s.twin_id
        where own.twin_id = ${twinId} and s.twin_id <> ${twinId}
        group by s.id, t.id limit ${dependenciesMax + 1})
      union all
      (select 'rule', r.id, t.title || ' · ' || r.title, false, ${visible}, 3, ${kind}, t.id
        from states own
        join rule_triggers g on g.state_id = own.id
        join rules r on r.id = g.rule_id
        join twins t on t.id = r.twin_id
        where own.twin_id = ${twinId} and r.twin_id <> ${twinId}
        group by r.id, t.id limit ${dependenciesMax + 1})
      union all
      (select 'dashboard', d.id, d.name, false, true, 4, null, null
        from dashboards d
        where d.scope_id = any(${ints(dashboardScopes)}) and (d.parent_twin_id = ${twinId} or exists (
          select from widgets w where w.dashboard_id = d.id and ${usesTwin(twinId)}))
        limit ${dependenciesMax + 1})
    ) as found order by place, title collate natural_order, id`.execute(db)
  const seen = rows.filter((row) => row.visible)
  return {
    blocking: rows.some((row) => row.blocking),
    items: seen.slice(0, dependenciesMax).map(toDependency),
    more: seen.length > dependenciesMax || seen.length < rows.length,
  }
}

/**
 * Those of the states that something outside of them uses: states computed from them, rules that listen to them or set
 * them, widgets. The caller has locked links.
 */
async function findUsedStates(db: Executor, stateIds: readonly number[]): Promise<Set<number>> {
  // Joins, not `exists`: for a single row of each the planner would rather read all rules and widgets than an index.
  const { rows } = await sql<{ id: number }>`
    with wanted as (select unnest(${ints(stateIds)}) as id)
    select l.source_state_id as id from wanted join state_links l on l.source_state_id = wanted.id
      where l.state_id not in (select id from wanted)
    union select g.state_id from wanted join rule_triggers g on g.state_id = wanted.id
    union select wanted.id from wanted join rules r on ${setsState(sql`wanted.id`)}
    union select wanted.id from wanted join widgets w on ${showsState(sql`wanted.id`)}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Those of the states that can go because nothing else uses them, in their order. The caller has locked links. */
export async function findUnusedStates(db: Executor, stateIds: readonly number[]): Promise<number[]> {
  let unused = [...stateIds]
  // A state that stays keeps those it is computed from.
  for (;;) {
    const used = unused.length === 0 ? new Set() : await findUsedStates(db, unused)
    if (used.size === 0) return unused
    unused = unused.filter((id) => !used.has(id))
  }
}

/**
 * What uses these states, as far as the caller may see it: states computed from them, rules, dashboards.
 * @param dashboardScopes scopes in which the caller may see dashboards
 */
export async function loadStateUses(
  db: Executor,
  stateIds: readonly number[],
  scopes: ScopesByCategory,
  dashboardScopes: readonly number[],
): Promise<{ items: Dependency[]; more: boolean }> {
  if (stateIds.length === 0) return { items: [], more: false }
  const visible = inScopesByCategory(scopes)
  const kind = sql`case t.category when 'digitalTwin' then 'twin' else 'virtualDevice' end`
  const { rows } = await sql<Omit<Row, 'blocking'>>`
    with wanted as (select unnest(${ints(stateIds)}) as id)
    select kind, id, title, visible, owner_kind as "ownerKind", owner_id as "ownerId" from (
      (select 'aggregate' as kind, s.id, t.title || ' · ' || s.title as title, ${visible} as visible, 1 as place,
          ${kind} as owner_kind, t.id as owner_id
        from states s join twins t on t.id = s.twin_id
        where s.id in (select l.state_id from state_links l join wanted on wanted.id = l.source_state_id)
        limit ${dependenciesMax + 1})
      union all
      (select 'rule', r.id, t.title || ' · ' || r.title, ${visible}, 2, ${kind}, t.id
        from rules r join twins t on t.id = r.twin_id
        where r.id in (select g.rule_id from rule_triggers g join wanted on wanted.id = g.state_id
          union select r.id from wanted join rules r on ${setsState(sql`wanted.id`)})
        limit ${dependenciesMax + 1})
      union all
      (select 'dashboard', d.id, d.name, d.scope_id = any(${ints(dashboardScopes)}), 3, null, null
        from dashboards d
        where d.id in (select w.dashboard_id from wanted join widgets w on ${showsState(sql`wanted.id`)})
        limit ${dependenciesMax + 1})
    ) as found order by place, title collate natural_order, id`.execute(db)
  const seen = rows.filter((row) => row.visible)
  return {
    items: seen.slice(0, dependenciesMax).map((row) => toDependency({ ...row, blocking: false })),
    more: seen.length > dependenciesMax || seen.length < rows.length,
  }
}

/** Whether rule `r` sets this state. */
function setsState(id: RawBuilder<unknown>) {
  return sql<boolean>`r.actions @> jsonb_build_array(jsonb_build_object('kind', 'set-state', 'stateId', ${id}))`
}

/** Whether widget `w` names this state; the expression is that of the index `widgets_states`. */
function showsState(id: RawBuilder<unknown>) {
  return sql<boolean>`jsonb_path_query_array(w.config, 'strict $.**.stateIds[*]', '{}', true) @> jsonb_build_array(${id})`
}

/** Whether a widget shows this twin or one of its states. */
function usesTwin(twinId: number) {
  return sql<boolean>`(
    jsonb_path_query_array(w.config, 'strict $.**.stateIds[*]', silent => true) @> any(array(
      select to_jsonb(s.id) from states s where s.twin_id = ${twinId}))
    or jsonb_path_exists(w.config, '$.**.twinIds[*] ? (@ == $id)', jsonb_build_object('id', ${twinId}::int), true)
    or jsonb_path_exists(w.config, '$.**.parentTwinId ? (@ == $id)', jsonb_build_object('id', ${twinId}::int), true))`
}

/** States that are computed from these, without those of the twin itself. */
export async function hasForeignAggregates(db: Executor, twinId: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from states own
      join state_links l on l.source_state_id = own.id
      join states s on s.id = l.state_id
      where own.twin_id = ${twinId} and s.twin_id <> ${twinId}) as found`.execute(db)
  return rows[0]?.found ?? false
}

/** Whether something has this twin as its parent. */
export async function hasChildren(db: Executor, twinId: number): Promise<boolean> {
  const row = await db
    .selectFrom('twins')
    .select('id')
    .where('parent_id', '=', twinId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
