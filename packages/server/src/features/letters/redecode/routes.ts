import { type DecodePreview, type DecodeSelection, decodingLimits } from '@leitstand/contract/redecoding'
import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { requireDriver } from '../../drivers/index.ts'
import type { IngestFeature, StoredPacket } from '../../ingest/index.ts'
import { type JobsFeature, mayWriteDevices } from '../../jobs/index.ts'
import { compare } from './compare.ts'
import type { RedecodeParams } from './job.ts'
import {
  countPackets,
  devicesWithPackets,
  findScopedDevices,
  newestPackets,
  type Period,
  type RedecodeDevice,
  samplePackets,
} from './store.ts'

interface Tools {
  ctx: Context
  ingest: IngestFeature
  jobs: JobsFeature
}

/** The operations for decoding stored packets again. */
export function redecodeRoutes(tools: Tools) {
  return {
    redecodePreview: os.letters.redecodePreview.handler(({ input, context: { caller } }) =>
      preview(tools, caller, input, input.sample),
    ),
    redecode: os.letters.redecode.handler(({ input, context: { caller } }) => start(tools, caller, input)),
  }
}

async function preview(
  tools: Tools,
  caller: Caller,
  selection: DecodeSelection,
  sample: number,
): Promise<DecodePreview> {
  const { ctx, ingest } = tools
  const devices = await requireDevices(ctx, caller, selection)
  const deviceIds = devices.map(({ id }) => id)
  const period = periodOf(selection)
  const counted = await countPackets(ctx.db, deviceIds, period, decodingLimits.countMax)
  const packets = await takeSample(ctx, deviceIds, period, sample)
  const redecoded = await ingest.decodeStored(packets, selection.using)
  const titles = new Map(devices.map(({ id, title }) => [id, title]))
  const pairs = redecoded.map(({ packet, device, after: { variables, error, driver } }) => ({
    packet,
    deviceTitle: titles.get(device.id) ?? '',
    variables,
    error,
    driverVersion: driver?.number ?? null,
  }))
  return {
    devices: devices.length,
    packets: Math.min(counted, decodingLimits.countMax),
    packetsMore: counted > decodingLimits.countMax,
    ...compare(pairs),
  }
}

/** A sample of packets of as many devices as possible, spread over the period; then the newest ones. */
async function takeSample(
  { db }: Context,
  deviceIds: readonly number[],
  period: Period,
  sample: number,
): Promise<StoredPacket[]> {
  const active = await devicesWithPackets(db, deviceIds, period, sample)
  if (active.length === 0) return []
  const each = Math.max(1, Math.floor(sample / active.length))
  const spread = await samplePackets(db, active, period, each, sample)
  const missing = sample - spread.length
  const newest = missing <= 0 ? [] : await newestPackets(db, active, period, each, sample)
  const unique = new Map([...spread, ...newest].map((packet) => [packet.id, packet]))
  return [...unique.values()].slice(0, sample).sort((a, b) => b.receivedAt.getTime() - a.receivedAt.getTime())
}

async function start({ ctx, jobs }: Tools, caller: Caller, selection: DecodeSelection) {
  const devices = await requireDevices(ctx, caller, selection)
  const deviceIds = devices.map(({ id }) => id)
  const total = await countPackets(ctx.db, deviceIds, periodOf(selection), decodingLimits.countMax)
  const { from, to, errorsOnly, using, driverId } = selection
  const params: RedecodeParams = { deviceIds, from, to, errorsOnly, using }
  const [first] = devices as [RedecodeDevice, ...RedecodeDevice[]]
  const resource =
    driverId === undefined
      ? ({ resourceType: 'virtualDevice', resourceId: first.id, title: first.title } as const)
      : ({
          resourceType: 'driver',
          resourceId: driverId,
          title: (await requireDriver(ctx.db, caller, driverId)).title,
        } as const)
  const { accountId, scopeId } = first
  return jobs.create(
    caller,
    {
      type: 'packets-decode',
      accountId,
      scopeId,
      ...resource,
      params: { ...params },
      total,
      demands: {
        permissions: mayWriteDevices,
        scopeIds: devices.map((device) => device.scopeId),
        everywhere: true,
      },
    },
    { devices: devices.length, packets: total, from, to, errorsOnly, using },
  )
}

/**
 * The devices of a selection. The caller must have write permission for all of them.
 * @throws AppError VDEVICE_NOT_FOUND, DEVICEDRIVER_NOT_FOUND, BACKGROUND_JOB_TOO_LARGE
 */
async function requireDevices(
  ctx: Context,
  caller: Caller,
  { deviceIds, driverId, using }: DecodeSelection,
): Promise<RedecodeDevice[]> {
  const scopeIds = [
    ...new Set((['write', 'manage'] as const).flatMap((action) => caller.scopeIds('VirtualDevice', action))),
  ]
  if (driverId !== undefined) await requireDriver(ctx.db, caller, driverId)
  if (using !== null) await requireDriver(ctx.db, caller, using.driverId, using.number)
  const { devicesMax } = decodingLimits
  const ids = [...new Set(deviceIds ?? [])]
  const by = driverId === undefined ? { ids } : { driverId }
  const devices = await findScopedDevices(ctx.db, scopeIds, by, devicesMax + 1)
  if (devices.length === 0 || (driverId === undefined && devices.length < ids.length))
    throw new AppError('VDEVICE_NOT_FOUND')
  if (devices.length > devicesMax) throw new AppError('BACKGROUND_JOB_TOO_LARGE', { devicesMax })
  return devices
}

function periodOf({ from, to, errorsOnly }: DecodeSelection): Period {
  return { from: new Date(from), to: new Date(to), errorsOnly }
}
