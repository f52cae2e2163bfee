import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import type { Watch } from '../triggers/types.ts'
import type { PlaceWakes, RuleWakes } from '../wakeIndex.ts'
import { type Place, placeKey } from '../wakes.ts'
import { runPlaces } from './pipeline.ts'

/**
 * The twins of active rules, and what wakes them there. Those of templates are left out, see `readPlacedWakes`.
 * @param ids of these rules; null: of all
 */
export async function readWakes(
  db: Executor,
  ids: readonly number[] | null,
): Promise<Map<number, RuleWakes>> {
  const isChosen = ids === null ? sql`true` : sql`r.id = any(${[...ids]}::int[])`
  const chosen = sql`r.active and r.template_id is null and ${isChosen}`
  const twins = await sql<{ rule_id: number; twin_ids: number[] }>`
    select p.rule_id, array_agg(p.twin_id order by p.twin_id) as twin_ids
    from ${runPlaces} p join rules r on r.id = p.rule_id where ${chosen} group by p.rule_id`.execute(db)
  const states = await sql<{ rule_id: number; state_ids: number[] }>`
    select t.rule_id, array_agg(t.state_id order by t.state_id) as state_ids
    from rule_triggers t join rules r on r.id = t.rule_id where ${chosen} group by t.rule_id`.execute(db)
  const inputs = await sql<{ rule_id: number; state_id: number; twin_ids: number[] }>`
    select i.rule_id, i.state_id, array_agg(distinct i.twin_id order by i.twin_id) as twin_ids
    from rule_inputs i join rules r on r.id = i.rule_id where i.wakes and ${chosen}
    group by i.rule_id, i.state_id order by i.rule_id, i.state_id`.execute(db)
  const watches = await readWatches(db, chosen)
  const found = new Map(
    twins.rows.map(({ rule_id: ruleId, twin_ids: ofRule }) => [ruleId, { ...newWakes(), twins: ofRule }]),
  )
  const of = (ruleId: number) => {
    const known = found.get(ruleId) ?? newWakes()
    found.set(ruleId, known)
    return known
  }
  for (const { rule_id: ruleId, state_ids: stateIds } of states.rows) of(ruleId).states = stateIds
  for (const { rule_id: ruleId, state_id: stateId, twin_ids: ofState } of inputs.rows)
    of(ruleId).inputs.set(stateId, ofState)
  for (const { ruleId, ...watch } of watches) of(ruleId).watches.push(watch)
  return found
}

/**
 * What wakes active rules of templates, by device and rule.
 * @param chosen of these rules and on these devices; null: all
 */
export async function readPlacedWakes(
  db: Executor,
  chosen: { ruleIds: readonly number[]; twinIds: readonly number[] } | null,
): Promise<Map<number, Map<number, PlaceWakes>>> {
  const found = new Map<number, Map<number, PlaceWakes>>()
  if (chosen !== null && chosen.ruleIds.length + chosen.twinIds.length === 0) return found
  const isChosen = (alias: string) => {
    const twinId = sql.ref(`${alias}.twin_id`)
    return chosen === null
      ? sql`r.active and r.template_id is not null`
      : sql`r.active and r.template_id is not null and (${twinId} = any(${[...chosen.twinIds]}::int[])
          or ${twinId} in (select twin_id from rule_members where rule_id = any(${[...chosen.ruleIds]}::int[])))`
  }
  const { rows } = await sql<{ rule_id: number; twin_id: number; state_ids: number[] | null }>`
    select w.rule_id, w.twin_id, i.state_ids
    from rule_members w join rules r on r.id = w.rule_id
    cross join lateral (
      select array_agg(distinct state_id) as state_ids from rule_inputs
      where rule_id = w.rule_id and twin_id = w.twin_id and wakes) as i
    where ${isChosen('w')} order by w.rule_id`.execute(db)
  const watches = Map.groupBy(await readWatches(db, isChosen('w')), placeKey)
  for (const { rule_id: ruleId, twin_id: twinId, state_ids: stateIds } of rows) {
    const ofTwin = found.get(twinId) ?? new Map<number, PlaceWakes>()
    const watched = watches.get(placeKey({ ruleId, twinId })) ?? none
    ofTwin.set(ruleId, { states: stateIds ?? none, watches: watched })
    found.set(twinId, ofTwin)
  }
  return found
}

const none: never[] = []

async function readWatches(db: Executor, chosen: RawBuilder<unknown>): Promise<(Place & Watch)[]> {
  const { rows } = await sql<Place & Watch>`
    select w.rule_id as "ruleId", w.twin_id as "twinId", w.kind, w.object_id as id, w.below
    from rule_watches w join rules r on r.id = w.rule_id where ${chosen} order by w.rule_id`.execute(db)
  return rows
}

interface Found extends RuleWakes {
  twins: number[]
  states: number[]
  inputs: Map<number, readonly number[]>
  watches: (Watch & { twinId: number })[]
}

function newWakes(): Found {
  return { twins: [], states: [], inputs: new Map(), watches: [] }
}
