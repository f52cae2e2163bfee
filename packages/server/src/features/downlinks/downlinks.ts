import {
  type DownlinkValues,
  downlinkBytes,
  downlinkLimits,
  encodeDownlink,
  toHex,
} from '@leitstand/contract/downlinkPayload'
import type { Downlink, DownlinkOffer, downlink } from '@leitstand/contract/downlinks'
import type * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import { requireDevice } from '../devices/index.ts'
import { type ObjectRow, objectForChange, requireWrite, writeScopes } from '../twins/index.ts'
import {
  accountOf,
  countWaiting,
  type DownlinkRow,
  findPredefined,
  findTarget,
  insertDownlink,
  listDownlinks,
  lockDownlink,
  type Target,
  writeProgress,
} from './store.ts'

type SendInput = z.infer<NonNullable<(typeof downlink.send)['~orpc']['inputSchema']>>
type Senders = Pick<ConnectorsFeature, 'downlinks'>

/** Downlinks of a device. @throws AppError VDEVICE_NOT_FOUND */
export async function listOfDevice(
  db: Executor,
  caller: Caller,
  { id, offset, limit }: { id: number; offset: number; limit: number },
) {
  await requireDevice(db, caller, id)
  const { rows, total } = await listDownlinks(db, id, { offset, limit })
  return { items: rows.map(present), total, offset, limit }
}

/** The downlinks that can be sent to a device. @throws AppError VDEVICE_NOT_FOUND */
export async function offerOf(
  ctx: Context,
  senders: Senders,
  caller: Caller,
  id: number,
): Promise<DownlinkOffer> {
  const row = await requireDevice(ctx.db, caller, id)
  const target = await requireTarget(ctx.db, id)
  return {
    ...(await reachOf(ctx.db, senders, target)),
    predefined: await findPredefined(ctx.db, id),
    editable: writeScopes(caller, 'virtualDevice').includes(row.scopeId),
  }
}

/**
 * Queues a downlink.
 * @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION, DOWNLINK_NOT_POSSIBLE with `problem`, DOWNLINK_INVALID
 * with `parameter` and `fault`, DOWNLINK_QUEUE_FULL with `max`
 */
export async function sendDownlink(
  ctx: Context,
  senders: Senders,
  caller: Caller,
  input: SendInput,
): Promise<Downlink> {
  const seen = await requireDevice(ctx.db, caller, input.id)
  requireWrite(caller, 'virtualDevice', seen.scopeId)
  const target = await requireTarget(ctx.db, seen.id)
  const { problem } = await reachOf(ctx.db, senders, target)
  if (problem !== null) throw new AppError('DOWNLINK_NOT_POSSIBLE', { problem })
  return ctx.db.transaction().execute(async (tx) => {
    const device = await objectForChange(tx, caller, 'virtualDevice', input.id)
    const content = await contentOf(tx, device.id, input.content)
    await requireRoom(tx, device)
    const now = ctx.clock.now()
    const row = await insertDownlink(tx, {
      deviceId: device.id,
      accountId: device.accountId,
      connectorId: target.connectorId,
      ...content,
      requestedBy: caller.name,
      requestedAt: now,
      validUntil: new Date(now.getTime() + input.validMinutes * 60_000),
    })
    const { name, port, confirmed } = content
    await recordActivity(tx, caller, {
      ...about('send-downlink', device),
      changes: { downlink: { id: row.id, name, port, payload: toHex(content.payload), confirmed } },
      isChange: false,
    })
    return present(row)
  })
}

export interface WantedDownlink {
  deviceId: number
  content:
    | { predefined: string; values: Readonly<Record<string, unknown>> }
    | { payload: string; encoding: 'base16'; port: number; confirmed: boolean }
  /** may be a part of a minute */
  validMinutes: number
  requestedBy: string
}

/**
 * Queues a downlink that a feature above sends.
 * @returns its id, or why it is not possible: a problem of the way to the device, or the code of an error
 */
export async function requestDownlink(
  ctx: Context,
  senders: Senders,
  tx: Executor,
  { deviceId, content, validMinutes, requestedBy }: WantedDownlink,
): Promise<{ id: number } | { problem: string }> {
  const target = await findTarget(tx, deviceId)
  if (!target) return { problem: 'VDEVICE_NOT_FOUND' }
  const { problem } = await reachOf(tx, senders, target)
  if (problem !== null) return { problem }
  const accountId = await accountOf(tx, deviceId)
  try {
    const given =
      'predefined' in content
        ? { predefined: content.predefined, values: wordsOf(content.values) }
        : { ...content, gateways: [] }
    const wanted = await contentOf(tx, deviceId, given)
    await requireRoom(tx, { id: deviceId, accountId })
    const now = ctx.clock.now()
    const { id } = await insertDownlink(tx, {
      deviceId,
      accountId,
      connectorId: target.connectorId,
      ...wanted,
      requestedBy,
      requestedAt: now,
      validUntil: new Date(now.getTime() + validMinutes * 60_000),
    })
    return { id }
  } catch (error) {
    if (error instanceof AppError) return { problem: error.code }
    throw error
  }
}

/** Values of parameters; others, such as JSON or none, are left out and then count as missing. */
function wordsOf(values: Readonly<Record<string, unknown>>): DownlinkValues {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => ['number', 'boolean', 'string'].includes(typeof value)),
  ) as DownlinkValues
}

/**
 * Cancels a waiting downlink.
 * @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION, DOWNLINK_NOT_FOUND, DOWNLINK_NOT_WAITING
 */
export async function cancelDownlink(
  ctx: Context,
  caller: Caller,
  { id, downlinkId }: { id: number; downlinkId: number },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const device = await objectForChange(tx, caller, 'virtualDevice', id)
    const row = await lockDownlink(tx, id, downlinkId)
    if (!row) throw new AppError('DOWNLINK_NOT_FOUND', { id: downlinkId })
    const now = ctx.clock.now()
    const isUnderWay = row.attemptUntil !== null && row.attemptUntil > now
    if (row.state !== 'requested' || isUnderWay)
      throw new AppError('DOWNLINK_NOT_WAITING', { state: row.state })
    await writeProgress(tx, row.id, { ...row, state: 'cancelled', endedAt: now })
    await recordActivity(tx, caller, {
      ...about('cancel-downlink', device),
      changes: { downlink: { id: row.id, name: row.name } },
      isChange: false,
    })
  })
}

async function requireTarget(db: Executor, id: number): Promise<Target> {
  const target = await findTarget(db, id)
  if (!target) throw new AppError('VDEVICE_NOT_FOUND', { id })
  return target
}

async function reachOf(
  db: Executor,
  { downlinks }: Senders,
  { connectorId, externalId, deviceName, applicationId, disabled }: Target,
): Promise<Pick<DownlinkOffer, 'way' | 'problem'>> {
  const lora = { deviceId: deviceName ?? undefined, applicationId: applicationId ?? undefined }
  const { way, enabled, known } = await downlinks.reach(db, connectorId, { externalId, lora })
  if (way === 'none') return { way, problem: 'noWay' }
  if (!enabled) return { way, problem: 'connectorDisabled' }
  if (disabled) return { way, problem: 'deviceDisabled' }
  return { way, problem: known ? null : 'noAddress' }
}

/** The account's row is not locked: two concurrent requests may exceed its limit by one each. */
async function requireRoom(
  tx: Executor,
  { id, accountId }: Pick<ObjectRow, 'id' | 'accountId'>,
): Promise<void> {
  const { waitingOfDeviceMax, waitingOfAccountMax } = downlinkLimits
  const { ofDevice, ofAccount } = await countWaiting(tx, id, accountId)
  if (ofDevice >= waitingOfDeviceMax)
    throw new AppError('DOWNLINK_QUEUE_FULL', { of: 'device', max: waitingOfDeviceMax })
  if (ofAccount >= waitingOfAccountMax)
    throw new AppError('DOWNLINK_QUEUE_FULL', { of: 'account', max: waitingOfAccountMax })
}

interface Content {
  name: string
  port: number
  payload: Buffer
  confirmed: boolean
  gateways: readonly string[]
}

async function contentOf(tx: Executor, deviceId: number, content: SendInput['content']): Promise<Content> {
  if (!('predefined' in content)) {
    const bytes = downlinkBytes(content.payload, content.encoding)
    if (typeof bytes === 'string') throw new AppError('DOWNLINK_INVALID', { parameter: null, fault: bytes })
    const { port, confirmed, gateways } = content
    return { name: '', port, payload: Buffer.from(bytes), confirmed, gateways }
  }
  const predefined = (await findPredefined(tx, deviceId)).find(({ name }) => name === content.predefined)
  if (!predefined) throw new AppError('DOWNLINK_NOT_FOUND', { name: content.predefined })
  const encoded = encodeDownlink(predefined, content.values as DownlinkValues)
  if (!encoded.ok) {
    const { parameter, fault } = encoded
    throw new AppError('DOWNLINK_INVALID', { parameter, fault })
  }
  const { name, port, confirmed, gateways } = predefined
  return { name, port, payload: Buffer.from(encoded.bytes), confirmed, gateways }
}

function present(row: DownlinkRow): Downlink {
  const time = (at: Date | null): string | null => at?.toISOString() ?? null
  const { id, name, port, confirmed, gateways, state, reason, detail, requestedBy, attempts, repeated } = row
  return {
    id,
    name,
    port,
    confirmed,
    gateways,
    state,
    reason,
    detail,
    requestedBy,
    attempts,
    repeated,
    payload: toHex(row.payload),
    requestedAt: row.requestedAt.toISOString(),
    validUntil: row.validUntil.toISOString(),
    nextAttemptAt: state === 'requested' ? row.nextAttemptAt.toISOString() : null,
    sentAt: time(row.sentAt),
    transmittedAt: time(row.transmittedAt),
    endedAt: time(row.endedAt),
  }
}

function about(action: string, device: ObjectRow) {
  return {
    action,
    subject: 'VirtualDevice',
    objectId: device.id,
    objectTitle: device.title,
    accountId: device.accountId,
  }
}
