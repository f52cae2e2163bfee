import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import type { Watch } from '../triggers/types.ts'
import type { RuleWakes } from '../wakeIndex.ts'
import { runPlaces } from './pipeline.ts'

/**
 * The twins of active rules, and what wakes them there.
 * @param ids of these rules; null: of all
 */
export async function readWakes(
  db: Executor,
  ids: readonly number[] | null,
): Promise<Map<number, RuleWakes>> {
  const chosen = ids === null ? sql`r.active` : sql`r.active and r.id = any(${[...ids]}::int[])`
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
  const watches = await sql<{
    rule_id: number
    twin_id: number
    kind: Watch['kind']
    object_id: number
    below: boolean
  }>`
    select w.rule_id, w.twin_id, w.kind, w.object_id, w.below
    from rule_watches w join rules r on r.id = w.rule_id where ${chosen} order by w.rule_id`.execute(db)
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
  for (const { rule_id: ruleId, twin_id: twinId, kind, object_id: id, below } of watches.rows)
    of(ruleId).watches.push({ kind, id, below, twinId })
  return found
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
