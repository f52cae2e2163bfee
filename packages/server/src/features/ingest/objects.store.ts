import { sql } from 'kysely'
import { int4Array } from '../../platform/db/arrays.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { FeatureObjects, RetainedMonths } from '../objects/index.ts'

export const ingestObjects = {
  views: {
    packets: sql`
      select id, device_id, connector_id, received_at, time, f_port, f_cnt, payload, encoding, meta, variables, error, driver_id,
        driver_version, duration_us
      from packets`,
    packetDays: sql`select device_id, first_at, last_at, first_id, count, errors, packets from packet_days`,
  },
  retention: [months('packets', 'received_at', 'received_at'), months('packet_days', 'first_at', 'last_at')],
} as const satisfies FeatureObjects

/** @param newest the column with the time of the newest packet in a row */
function months(table: RetainedMonths['table'], time: string, newest: string): RetainedMonths {
  return {
    table,
    time,
    kept: 'values',
    owner: 'device_id',
    of: 'virtualDevice',
    drop: async (tx, partition) => {
      await sql`alter table ${sql.table(table)} detach partition ${sql.table(partition)}`.execute(tx)
      await sql`drop table ${sql.table(partition)}`.execute(tx)
    },
    deleteOf: (...args) => deleteRows(newest, ...args),
  }
}

async function deleteRows(
  newest: string,
  tx: Executor,
  partition: string,
  deviceIds: readonly number[],
  before: Date,
  limit: number,
): Promise<number> {
  const rows = sql.table(partition)
  const { numAffectedRows } = await sql`
    delete from ${rows} where ctid = any(array(
      select ctid from ${rows}
      where device_id = any(${int4Array(deviceIds)}::int4[]) and ${sql.ref(newest)} < ${before} limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}
