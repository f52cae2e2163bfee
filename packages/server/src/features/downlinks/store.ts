import type { PredefinedDownlink } from '@leitstand/contract/downlinks'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import { packetsOf } from '../objects/index.ts'
import type { Progress } from './follow.ts'

/** The fields needed to send or show a downlink. */
export interface DownlinkRow extends Progress {
  readonly id: number
  readonly correlation: string
  readonly deviceId: number
  readonly connectorId: number
  readonly name: string
  readonly port: number
  readonly payload: Buffer
  readonly gateways: string[]
  readonly requestedBy: string
  readonly requestedAt: Date
  readonly validUntil: Date
  readonly repeated: boolean
}

const columns = sql`
  d.id, d.correlation, d.twin_id as "deviceId", d.connector_id as "connectorId", d.name, d.port, d.payload, d.confirmed,
  d.gateways, d.state, d.reason, d.detail, d.requested_by as "requestedBy", d.requested_at as "requestedAt",
  d.valid_until as "validUntil", d.attempts, d.next_attempt_at as "nextAttemptAt", d.attempt_until as "attemptUntil",
  d.repeated, d.network_id as "networkId", d.sent_at as "sentAt", d.transmitted_at as "transmittedAt",
  d.ended_at as "endedAt"`

/** Downlinks of a device, newest first. */
export async function listDownlinks(
  db: Executor,
  deviceId: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: DownlinkRow[]; total: number }> {
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from downlinks where twin_id = ${deviceId}`.execute(db)
  const { rows } = await sql<DownlinkRow>`
    select ${columns} from downlinks d where d.twin_id = ${deviceId}
    order by d.id desc limit ${limit} offset ${offset}`.execute(db)
  return { rows, total: counted.rows[0]?.total ?? 0 }
}

/** A downlink of a device, locked until the end of the transaction. */
export async function lockDownlink(
  tx: Executor,
  deviceId: number,
  id: number,
): Promise<DownlinkRow | undefined> {
  const { rows } = await sql<DownlinkRow>`
    select ${columns} from downlinks d where d.id = ${id} and d.twin_id = ${deviceId} for update`.execute(tx)
  return rows[0]
}

/** What is needed to send to the device. */
export interface Target {
  readonly connectorId: number
  readonly externalId: string
  readonly disabled: boolean
  /** of its last packet, if that came through the same connector */
  readonly deviceName: string | null
  readonly applicationId: string | null
}

/** How to reach a device; undefined when the device does not exist. */
export async function findTarget(db: Executor, deviceId: number): Promise<Target | undefined> {
  const { rows } = await sql<Target>`
    select v.connector_id as "connectorId", v.external_id as "externalId", t.disabled,
      p.lora ->> 'deviceId' as "deviceName", p.lora ->> 'applicationId' as "applicationId"
    from virtual_devices v
    join twins t on t.id = v.twin_id
    left join lateral (
      select connector_id, meta -> 'lora' as lora
      from ${packetsOf({ device: sql`v.twin_id`, order: 'desc', limit: 1 })} newest) p on p.connector_id = v.connector_id
    where v.twin_id = ${deviceId}`.execute(db)
  return rows[0]
}

/** The account of a device. */
export async function accountOf(db: Executor, deviceId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select account_id as id from twins where id = ${deviceId}`.execute(db)
  return rows[0]?.id ?? 0
}

/** Downlinks of the driver version a device uses. */
export async function findPredefined(db: Executor, deviceId: number): Promise<PredefinedDownlink[]> {
  const { rows } = await sql<{ downlinks: PredefinedDownlink[] }>`
    select n.downlinks from virtual_devices v
    join driver_versions n on n.driver_id = v.driver_id
      and n.number = coalesce(v.driver_version, driver_version_in(v.driver_id, v.account_id))
    where v.twin_id = ${deviceId}`.execute(db)
  return rows[0]?.downlinks ?? []
}

/** Number of downlinks waiting for a device, and for its whole account. */
export async function countWaiting(
  db: Executor,
  deviceId: number,
  accountId: number,
): Promise<{ ofDevice: number; ofAccount: number }> {
  const { rows } = await sql<{ ofDevice: number; ofAccount: number }>`
    select
      (select count(*)::int from downlinks where twin_id = ${deviceId} and state = 'requested') as "ofDevice",
      (select count(*)::int from downlinks where account_id = ${accountId} and state = 'requested') as "ofAccount"`.execute(
    db,
  )
  return rows[0] ?? { ofDevice: 0, ofAccount: 0 }
}

export interface NewDownlink {
  readonly deviceId: number
  readonly accountId: number
  readonly connectorId: number
  readonly name: string
  readonly port: number
  readonly payload: Buffer
  readonly confirmed: boolean
  readonly gateways: readonly string[]
  readonly requestedBy: string
  readonly requestedAt: Date
  readonly validUntil: Date
}

/** Queues a downlink, due immediately. */
export async function insertDownlink(tx: Executor, row: NewDownlink): Promise<DownlinkRow> {
  const { rows } = await sql<DownlinkRow>`
    insert into downlinks as d (twin_id, account_id, connector_id, name, port, payload, confirmed, gateways,
      requested_by, requested_at, valid_until, next_attempt_at)
    values (${row.deviceId}, ${row.accountId}, ${row.connectorId}, ${row.name}, ${row.port}, ${row.payload},
      ${row.confirmed}, ${[...row.gateways]}::text[], ${row.requestedBy}, ${row.requestedAt}, ${row.validUntil},
      ${row.requestedAt})
    returning ${columns}`.execute(tx)
  const [inserted] = rows
  if (inserted === undefined) throw new Error('a downlink was not stored')
  return inserted
}

/** Stores the progress of a downlink; its row is locked. */
export async function writeProgress(tx: Executor, id: number, progress: Progress): Promise<void> {
  await sql`
    update downlinks set state = ${progress.state}, reason = ${progress.reason}, detail = ${progress.detail},
      next_attempt_at = ${progress.nextAttemptAt}, attempt_until = ${progress.attemptUntil},
      network_id = ${progress.networkId}, sent_at = ${progress.sentAt},
      transmitted_at = ${progress.transmittedAt}, ended_at = ${progress.endedAt}
    where id = ${id}`.execute(tx)
}

/** Downlinks that are due: the oldest of each device, with a limit per account. */
const claimable = (now: Date): RawBuilder<boolean> => sql<boolean>`
  w.state = 'requested' and w.next_attempt_at <= ${now} and w.valid_until > ${now}
  and not exists (
    select from downlinks e where e.twin_id = w.twin_id and e.state = 'requested' and e.id < w.id)`

/**
 * Claims attempts: the returned rows belong to the caller until `until`. After an attempt with an unknown
 * outcome, the next one is marked as repeated. Concurrent processes get different rows.
 */
export async function claimDue(
  tx: Executor,
  now: Date,
  until: Date,
  { max, ofAccountMax }: { max: number; ofAccountMax: number },
): Promise<DownlinkRow[]> {
  const { rows } = await sql<DownlinkRow>`
    with ranked as (
      select w.id, row_number() over (partition by w.account_id order by w.next_attempt_at, w.id) as place
      from downlinks w where ${claimable(now)}
    ), due as (
      select d.id from downlinks d join ranked r on r.id = d.id
      where r.place <= ${ofAccountMax} and d.state = 'requested' and d.next_attempt_at <= ${now}
      order by r.place, d.id limit ${max}
      for update of d skip locked
    )
    update downlinks d
    set attempts = d.attempts + 1, attempt_until = ${until}, next_attempt_at = ${until},
      repeated = d.repeated or d.attempt_until is not null
    from due where due.id = d.id
    returning ${columns}`.execute(tx)
  return rows
}

/** Stores the network server's id of a downlink before it is sent, because reports may arrive first. */
export async function setNetworkId(db: Executor, id: number, networkId: string): Promise<void> {
  await sql`update downlinks set network_id = ${networkId} where id = ${id}`.execute(db)
}

/** Expired downlinks, locked; rows locked by other transactions are skipped until the next time. */
export async function lockLate(tx: Executor, now: Date, limit: number): Promise<DownlinkRow[]> {
  const { rows } = await sql<DownlinkRow>`
    select ${columns} from downlinks d
    where d.valid_until <= ${now}
      and ((d.state = 'requested' and (d.attempt_until is null or d.attempt_until <= ${now}))
        or (d.state = 'sent' and d.confirmed))
    order by d.valid_until limit ${limit} for update skip locked`.execute(tx)
  return rows
}

/** Downlinks of a connector by their ids at the network server, locked. */
export async function lockNamed(
  tx: Executor,
  connectorId: number,
  names: readonly string[],
): Promise<DownlinkRow[]> {
  const { rows } = await sql<DownlinkRow>`
    select ${columns} from downlinks d
    where d.connector_id = ${connectorId} and d.network_id = any(${[...names]}::text[])
    order by d.id for update`.execute(tx)
  return rows
}

/** Whether an attempt over a connector is running whose id at the network server is not known yet. */
export async function awaitsName(db: Executor, connectorId: number, now: Date): Promise<boolean> {
  const { rows } = await sql<{ awaits: boolean }>`
    select exists (select from downlinks where connector_id = ${connectorId} and state = 'requested'
      and network_id is null and attempt_until > ${now}) as awaits`.execute(db)
  return rows[0]?.awaits ?? false
}

/** What became of a downlink until now. */
export interface DownlinkOutcome {
  readonly outcome: 'queued' | Exclude<Progress['state'], 'requested'>
  readonly reason: string | null
  readonly detail: string
  /** nothing more can become of it */
  readonly isFinal: boolean
}

/** What became of downlinks, by id; deleted ones are missing. */
export async function readOutcomes(
  db: Executor,
  ids: readonly number[],
): Promise<Map<number, DownlinkOutcome>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Pick<DownlinkRow, 'id' | 'state' | 'reason' | 'detail' | 'confirmed'>>`
    select id, state, reason, detail, confirmed from downlinks where id = any(${[...ids]}::bigint[])`.execute(
    db,
  )
  return new Map(
    rows.map(({ id, state, reason, detail, confirmed }) => {
      const outcome = state === 'requested' ? 'queued' : state
      const isFinal = state !== 'requested' && !(state === 'sent' && confirmed)
      return [id, { outcome, reason, detail, isFinal }]
    }),
  )
}
