import { type RawBuilder, sql } from 'kysely'
import { viewOf } from './registry.ts'

/** Packets in one compacted row, at most. */
export const packetsPerDayRow = 2_000

/** Which packets of a device to read. */
export interface AskedPackets {
  /** expression for the id of the device */
  device: RawBuilder<unknown> | number
  /** received at that time or later */
  since?: RawBuilder<unknown> | Date
  /** received earlier */
  before?: RawBuilder<unknown> | Date
  /** in the order, beyond this one */
  beyond?: { receivedAt: Date; id: number }
  /** only those that could not be decoded */
  errorsOnly?: boolean
  /** by time of reception */
  order: 'asc' | 'desc'
  limit: RawBuilder<unknown> | number
}

const columns = sql`id, device_id, received_at, time, connector_id, f_port, f_cnt, payload, encoding, meta, variables, error, driver_id,
  driver_version, duration_us`

/**
 * Subquery with packets of a device in the order of their reception, whether they are rows or in compacted days. Of the
 * days only as many are read as are needed for the limit.
 */
export function packetsOf(asked: AskedPackets): RawBuilder<unknown> {
  const { device, since, before, beyond, errorsOnly = false, limit } = asked
  const isNewest = asked.order === 'desc'
  const order = isNewest ? sql`desc` : sql`asc`
  const place = beyond && sql`(${beyond.receivedAt}::timestamptz, ${beyond.id}::bigint)`
  const conditions = [
    sql`true`,
    ...(since === undefined ? [] : [sql`received_at >= (${since})::timestamptz`]),
    ...(before === undefined ? [] : [sql`received_at < (${before})::timestamptz`]),
    ...(place === undefined ? [] : [sql`(received_at, id) ${isNewest ? sql`<` : sql`>`} ${place}`]),
    ...(errorsOnly ? [sql`error is not null`] : []),
  ]
  const bounds = sql.join(conditions, sql` and `)
  // A row of days begins on the day of its packets.
  const from = since ?? (isNewest ? undefined : beyond?.receivedAt)
  const until = before ?? (isNewest ? beyond?.receivedAt : undefined)
  const days = sql.join(
    [
      sql`device_id = ${device}`,
      ...(from === undefined
        ? []
        : [
            sql`first_at >= date_trunc('day', (${from})::timestamptz, 'UTC') and last_at >= (${from})::timestamptz`,
          ]),
      ...(until === undefined ? [] : [sql`first_at <= (${until})::timestamptz`]),
      ...(errorsOnly ? [sql`errors > 0`] : []),
    ],
    sql` and `,
  )
  const count = errorsOnly ? sql`errors` : sql`count`
  return sql`(
    select * from (
      (select ${columns} from ${viewOf('packets')} as single where device_id = ${device} and ${bounds}
        order by received_at ${order}, id ${order} limit ${limit})
      union all
      (select ${columns} from (
          select packets, sum(${count}) over (order by first_at ${order}, first_id ${order}) - ${count} as passed
          from ${viewOf('packetDays')} as day where ${days}) as day
        cross join lateral packets_of_day(day.packets) as u
        where day.passed < ${limit}::int + ${packetsPerDayRow}::int and ${bounds}
        order by received_at ${order}, id ${order} limit ${limit})) as found
    order by received_at ${order}, id ${order} limit ${limit})`
}
