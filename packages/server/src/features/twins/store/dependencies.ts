import { sql } from 'kysely'
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
    items: seen.slice(0, dependenciesMax).map((row) => ({
      kind: row.kind,
      id: row.id,
      title: row.title,
      blocking: row.blocking,
      owner: row.ownerKind && row.ownerId ? { kind: row.ownerKind, id: row.ownerId } : null,
    })),
    more: seen.length > dependenciesMax || seen.length < rows.length,
  }
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
