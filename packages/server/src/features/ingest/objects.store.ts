import { sql } from 'kysely'
import { int4Array } from '../../platform/db/arrays.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'

export const ingestObjects = {
  views: {
    packets: sql`
      select id, device_id, received_at, time, f_port, f_cnt, payload, encoding, meta, variables, error, driver_id,
        driver_version, duration_us
      from packets`,
  },
  retention: [
    {
      table: 'packets',
      time: 'received_at',
      kept: 'values',
      owner: 'device_id',
      of: 'virtualDevice',
      drop: dropPackets,
      deleteOf: deletePackets,
    },
  ],
} as const satisfies FeatureObjects

async function dropPackets(tx: Executor, partition: string): Promise<void> {
  await sql`alter table packets detach partition ${sql.table(partition)}`.execute(tx)
  await sql`drop table ${sql.table(partition)}`.execute(tx)
}

async function deletePackets(
  tx: Executor,
  partition: string,
  deviceIds: readonly number[],
  before: Date,
  limit: number,
): Promise<number> {
  const packets = sql.table(partition)
  const { numAffectedRows } = await sql`
    delete from ${packets} where ctid = any(array(
      select ctid from ${packets}
      where device_id = any(${int4Array(deviceIds)}::int4[]) and received_at < ${before} limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}
