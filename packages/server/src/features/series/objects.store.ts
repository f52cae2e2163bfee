import { sql } from 'kysely'
import { int4Array } from '../../platform/db/arrays.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { FeatureObjects, RetainedMonths } from '../objects/index.ts'

export const seriesObjects = {
  retention: [
    months('state_values', 'time'),
    months('value_days', 'first_time'),
    months('state_rollups_5m', 'start'),
    months('state_rollups_1h', 'start'),
    months('state_rollups_1d', 'start'),
  ],
} as const satisfies FeatureObjects

function months(table: RetainedMonths['table'], time: string): RetainedMonths {
  return {
    table,
    time,
    kept: 'values',
    owner: 'state_id',
    of: 'state',
    drop: async (tx, partition) => {
      await sql`alter table ${sql.table(table)} detach partition ${sql.table(partition)}`.execute(tx)
      await sql`drop table ${sql.table(partition)}`.execute(tx)
    },
    deleteOf: (...args) => deleteRows(time, ...args),
  }
}

async function deleteRows(
  time: string,
  tx: Executor,
  partition: string,
  stateIds: readonly number[],
  before: Date,
  limit: number,
): Promise<number> {
  const rows = sql.table(partition)
  const { numAffectedRows } = await sql`
    delete from ${rows} where ctid = any(array(
      select ctid from ${rows}
      where state_id = any(${int4Array(stateIds)}::int4[]) and ${sql.ref(time)} < ${before} limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}
