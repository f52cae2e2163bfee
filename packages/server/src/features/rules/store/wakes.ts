import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import type { Watch } from '../triggers/types.ts'
import type { RuleWakes } from '../wakeIndex.ts'

/**
 * What wakes active rules; those that nothing wakes are missing.
 * @param ids of these rules; null: of all
 */
export async function readWakes(
  db: Executor,
  ids: readonly number[] | null,
): Promise<Map<number, RuleWakes>> {
  const chosen = ids === null ? sql`r.active` : sql`r.active and r.id = any(${[...ids]}::int[])`
  const states = await sql<{ rule_id: number; state_ids: number[] }>`
    select t.rule_id, array_agg(t.state_id order by t.state_id) as state_ids
    from rule_triggers t join rules r on r.id = t.rule_id where ${chosen} group by t.rule_id`.execute(db)
  const watches = await sql<{ rule_id: number; kind: Watch['kind']; object_id: number; below: boolean }>`
    select w.rule_id, w.kind, w.object_id, w.below
    from rule_watches w join rules r on r.id = w.rule_id where ${chosen} order by w.rule_id`.execute(db)
  const found = new Map<number, { states: readonly number[]; watches: Watch[] }>()
  for (const { rule_id: ruleId, state_ids: stateIds } of states.rows)
    found.set(ruleId, { states: stateIds, watches: [] })
  for (const { rule_id: ruleId, kind, object_id: id, below } of watches.rows) {
    const rule = found.get(ruleId) ?? { states: [], watches: [] }
    rule.watches.push({ kind, id, below })
    found.set(ruleId, rule)
  }
  return found
}
