import type { DiskKind } from '@leitstand/contract/diskUsage'
import { type RawBuilder, sql } from 'kysely'

/** Whose rows of a table `r` are. */
interface Owner {
  join: RawBuilder<unknown>
  account: RawBuilder<number>
  /** device or twin */
  twin: RawBuilder<number | null>
}

export interface MeasuredTable {
  kind: DiskKind
  /** a table, or the one that its partitions belong to */
  name: string
  /** absent: nobody's, or not worth looking */
  owner?: Owner
  /** of a row, in bytes; default: without what the database keeps beside the row because it is long */
  size?: RawBuilder<number>
}

const none = sql<null>`null::int`

const ofAccount: Owner = { join: sql``, account: sql`r.account_id`, twin: none }
const ofTwin = (column: string): Owner => ({
  join: sql`join twins o on o.id = r.${sql.ref(column)}`,
  account: sql`o.account_id`,
  twin: sql`o.id`,
})
const ofState: Owner = {
  join: sql`join states s on s.id = r.state_id join twins o on o.id = s.twin_id`,
  account: sql`o.account_id`,
  twin: sql`o.id`,
}
const ofOther = (table: string, column: string): Owner => ({
  join: sql`join ${sql.table(table)} o on o.id = r.${sql.ref(column)}`,
  account: sql`o.account_id`,
  twin: none,
})

/** Tables that grow with use. What is not here counts as other. */
export const measuredTables: readonly MeasuredTable[] = [
  { kind: 'packets', name: 'packets', owner: ofTwin('device_id') },
  // All packets of a day are in one row.
  {
    kind: 'packets',
    name: 'packet_days',
    owner: ofTwin('device_id'),
    size: sql`100 + pg_column_size(r.packets)`,
  },
  { kind: 'packets', name: 'packet_keys', owner: ofTwin('device_id') },
  { kind: 'values', name: 'state_values', owner: ofState },
  {
    kind: 'values',
    name: 'value_days',
    owner: ofState,
    // All values of a day are in one row.
    size: sql`100 + coalesce(pg_column_size(r.offsets), 0) + coalesce(pg_column_size(r.micros), 0)
      + coalesce(pg_column_size(r.smalls), 0) + coalesce(pg_column_size(r.ints), 0) + coalesce(pg_column_size(r.nums), 0)
      + coalesce(pg_column_size(r.txts), 0) + coalesce(pg_column_size(r.bools), 0) + coalesce(pg_column_size(r.jsons), 0)`,
  },
  { kind: 'values', name: 'state_current', owner: ofState },
  { kind: 'rollups', name: 'state_rollups_5m', owner: ofState },
  { kind: 'rollups', name: 'state_rollups_1h', owner: ofState },
  { kind: 'rollups', name: 'state_rollups_1d', owner: ofState },
  { kind: 'letters', name: 'dead_letters', owner: ofAccount, size: sql`200 + pg_column_size(r.body)` },
  { kind: 'executions', name: 'rule_executions', owner: ofOther('rules', 'rule_id') },
  { kind: 'executions', name: 'rule_quiet', owner: ofOther('rules', 'rule_id') },
  { kind: 'executions', name: 'rule_days', owner: ofOther('rules', 'rule_id') },
  { kind: 'executions', name: 'rule_deliveries', owner: ofOther('rules', 'rule_id') },
  { kind: 'alarms', name: 'alarms', owner: ofAccount },
  { kind: 'alarms', name: 'alarm_comments' },
  { kind: 'alarms', name: 'alarm_notices' },
  { kind: 'logs', name: 'activities', owner: ofAccount },
  { kind: 'logs', name: 'connector_logs', owner: ofOther('connectors', 'connector_id') },
  { kind: 'logs', name: 'device_health_log', owner: ofTwin('twin_id') },
  { kind: 'logs', name: 'downlinks', owner: ofTwin('twin_id') },
  { kind: 'mails', name: 'mails', owner: ofAccount, size: sql`500 + pg_column_size(r.body)` },
  { kind: 'mails', name: 'mail_attachments' },
  { kind: 'files', name: 'files', owner: ofAccount },
  {
    kind: 'files',
    name: 'file_contents',
    owner: ofOther('files', 'file_id'),
    size: sql`pg_column_size(r.bytes)`,
  },
  {
    kind: 'exports',
    name: 'export_pieces',
    owner: ofOther('background_jobs', 'job_id'),
    size: sql`pg_column_size(r.content)`,
  },
]
