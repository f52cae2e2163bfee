import type { DataRoute } from '@leitstand/contract/virtualdevices'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { inScopesByCategory, type ScopesByCategory } from '../../twins/index.ts'

interface Question {
  deviceId: number
  /** scopes in which the caller may read states, and write them */
  visible: ScopesByCategory
  writable: ScopesByCategory
  offset: number
  limit: number
}

/**
 * States elsewhere that are computed from a device's states; `hidden`: the number not visible to the caller.
 */
export async function listDataRoutes(
  db: Executor,
  { deviceId, visible, writable, offset, limit }: Question,
): Promise<{ items: DataRoute[]; total: number; hidden: number }> {
  const from = sql`
    from states own
    join state_links l on l.source_state_id = own.id
    join states s on s.id = l.state_id
    join twins t on t.id = s.twin_id
    where own.twin_id = ${deviceId} and s.twin_id <> ${deviceId}`
  const { rows } = await sql<DataRoute>`
    select own.id as "sourceStateId", own.key as "sourceKey", own.title as "sourceTitle", s.id as "stateId", s.key,
      s.title, s.source, coalesce(s.source_settings ->> 'method', 'latest') as method,
      jsonb_array_length(coalesce(s.source_settings -> 'stateIds', '[]')) as "sourceCount",
      t.id as "twinId", t.title as "twinTitle", t.category, ${inScopesByCategory(writable)} as editable
    ${from} and ${inScopesByCategory(visible)}
    order by own.position, own.id, t.title collate natural_order, s.position, s.id
    limit ${limit} offset ${offset}`.execute(db)
  const counted = await sql<{ total: number; hidden: number }>`
    select count(*) filter (where ${inScopesByCategory(visible)}) as total,
      count(*) filter (where not ${inScopesByCategory(visible)}) as hidden ${from}`.execute(db)
  return { items: rows, ...(counted.rows[0] ?? { total: 0, hidden: 0 }) }
}
