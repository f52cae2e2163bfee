import { connectorKinds } from '@leitstand/contract/bridge'
import { limitReasons, type Reception } from '@leitstand/contract/reception'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import type { ConnectorRow } from '../types.ts'

/**
 * The connector of a device with its log entries about the device; undefined for a kind this version does not
 * know.
 */
export async function loadReceiving(db: Executor, deviceId: number) {
  const { rows } = await sql<
    ConnectorRow & {
      externalId: string
      stateAt: Date
      lastMessageAt: Date | null
      lastError: { at: string; message: string } | null
      limitReachedAt: Date | null
    }
  >`
    select c.id, c.account_id as "accountId", c.name, c.kind, c.enabled, c.settings, c.state,
      c.state_message as "stateMessage", c.state_at as "stateAt", c.version, d.external_id as "externalId",
      (select max(at) from connector_traffic where connector_id = c.id) as "lastMessageAt",
      (select max(at) from connector_logs where connector_id = c.id and event = 'limit-reached') as "limitReachedAt",
      (select jsonb_build_object('at', at, 'message', message) from connector_logs
        where connector_id = c.id and level = 'error' order by id desc limit 1) as "lastError"
    from virtual_devices d join connectors c on c.id = d.connector_id
    where d.twin_id = ${deviceId} and c.kind = any(${[...connectorKinds]}::text[])`.execute(db)
  return rows[0]
}

/** Limits that refused messages of a connector, most recent first. */
export async function listReachedLimits(db: Executor, connectorId: number) {
  const { rows } = await sql<{ reason: Reception['limits'][number]['reason']; count: number; lastAt: Date }>`
    select reason, count, last_at as "lastAt" from connector_refusals
    where connector_id = ${connectorId} and reason = any(${[...limitReasons]}::text[])
    order by last_at desc`.execute(db)
  return rows
}
