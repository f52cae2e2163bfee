import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { type Place, placeKey } from '../wakes.ts'
import { isVisible } from './homes.ts'
import { columnsOf } from './pipeline.ts'

/** Those of the rules that belong to an account, on twins in these scopes. */
export async function visibleRules(
  db: Executor,
  ids: readonly number[],
  scopeIds: readonly number[],
  accountId: number,
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: number }>`
    select r.id from rules r left join twins t on t.id = r.twin_id
    where r.id = ${anyOf(ids)} and r.account_id = ${accountId}
      and ${isVisible(scopeIds, { rule: 'r', twin: 't' })}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Those of the places at which rules run, by key. */
export async function readPlaces(db: Executor, places: readonly Place[]): Promise<Set<string>> {
  if (places.length === 0) return new Set()
  const { ruleIds, twinIds } = columnsOf(places)
  const { rows } = await sql<{ rule_id: number; twin_id: number }>`
    select w.rule_id, w.twin_id from unnest(${ruleIds}::int[], ${twinIds}::int[]) as w (rule_id, twin_id)
    join rules r on r.id = w.rule_id
    where case when r.many is null then r.twin_id = w.twin_id
      else exists (select from rule_members m where m.rule_id = w.rule_id and m.twin_id = w.twin_id) end`.execute(
    db,
  )
  return new Set(rows.map(({ rule_id: ruleId, twin_id: twinId }) => placeKey({ ruleId, twinId })))
}

/** Rules that run, by id, with their account: active, not paused, and their twin is not disabled. */
export async function runningRules(
  db: Executor,
  ids: readonly number[],
  now: Date,
): Promise<Map<number, OtherRule>> {
  const { rows } = await sql<OtherRow>`
    select ${otherColumns} from rules r left join twins t on t.id = r.twin_id
    where r.id = ${anyOf(ids)} and r.active and t.disabled is not true
      and (r.paused_until is null or r.paused_until <= ${now})`.execute(db)
  return toOthers(rows)
}

/** What has to be known of another rule that a rule names. */
interface OtherRule {
  accountId: number
  isForMany: boolean
  isOfTemplate: boolean
}

interface OtherRow {
  id: number
  account_id: number
  is_for_many: boolean
  is_of_template: boolean
}

const otherColumns = sql`r.id, r.account_id, r.many is not null as is_for_many, r.template_id is not null as is_of_template`

/** Rules by id; deleted ones are missing. */
export async function readOthers(db: Executor, ids: readonly number[]): Promise<Map<number, OtherRule>> {
  const { rows } =
    await sql<OtherRow>`select ${otherColumns} from rules r where r.id = ${anyOf(ids)}`.execute(db)
  return toOthers(rows)
}

function toOthers(rows: readonly OtherRow[]): Map<number, OtherRule> {
  return new Map(
    rows.map((row) => [
      row.id,
      { accountId: row.account_id, isForMany: row.is_for_many, isOfTemplate: row.is_of_template },
    ]),
  )
}
