import type { RuleVersion } from '@leitstand/contract/rules'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'

/** Versions kept of a rule; a change deletes older ones. */
export const versionsKept = 50

/**
 * Keeps a rule as it is now, unless this version is kept already.
 * @param by who has made it so; null: not known
 */
export async function keepVersion(tx: Executor, ruleId: number, by: string | null): Promise<void> {
  await sql`
    insert into rule_versions (rule_id, version, at, by, fields)
    select id, version, updated_at, ${by}, jsonb_build_object('title', title, 'active', active, 'pausedUntil', paused_until,
      'triggers', triggers, 'metrics', metrics, 'conditions', conditions, 'executionTimes', execution_times,
      'throttleHours', throttle_hours, 'actions', actions, 'many', many)
    from rules where id = ${ruleId}
    on conflict do nothing`.execute(tx)
  await sql`
    delete from rule_versions where rule_id = ${ruleId} and version <= (
      select version from rule_versions where rule_id = ${ruleId} order by version desc offset ${versionsKept} limit 1)`.execute(
    tx,
  )
}

/** A kept version as it was stored. */
export interface VersionRow extends Pick<RuleVersion, 'version' | 'by'> {
  at: Date
  fields: unknown
}

/** Kept versions of a rule, newest first. `before`: the one before the last of the page, if there is one. */
export async function listVersions(
  db: Executor,
  ruleId: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: VersionRow[]; before: VersionRow | undefined; total: number }> {
  const query = db.selectFrom('rule_versions').where('rule_id', '=', ruleId)
  const rows = await query
    .select(['version', 'at', 'by', 'fields'])
    .orderBy('version', 'desc')
    .offset(offset)
    .limit(limit + 1)
    .execute()
  const { total } = await query
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items: rows.slice(0, limit), before: rows[limit], total }
}
