import { bulkLimits, type ImportColumn, type ImportSettings } from '@leitstand/contract/bulk'
import { limits } from '@leitstand/contract/common'
import type {
  ListedRemoteDevice,
  RemoteDevice,
  RemoteField,
  RemoteSelection,
} from '@leitstand/contract/remote'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { bulkDevicesMaxOf } from '../accounts/index.ts'
import { importTable } from '../batches/index.ts'
import type { ConnectorsFeature, RemoteServer } from '../connectors/index.ts'
import {
  changeableDevice,
  deleteDevice,
  getDevice,
  removableDevice,
  requireConnector,
  synchronizeDevice,
} from '../devices/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import { readScopes } from '../twins/index.ts'
import { compare } from './compare.ts'
import { findKnown } from './store.ts'

export interface Tools {
  readonly ctx: Context
  readonly connectors: Pick<ConnectorsFeature, 'remote'>
  readonly jobs: JobsFeature
}

/** Page size when reading all devices, and maximum requests when they are read one by one. */
const allAtOnce = 1000
const askedAtOnce = 5

/**
 * Devices of the network server behind a connector.
 * @throws AppError CONNECTOR_NOT_FOUND, CONNECTOR_DISABLED, REMOTE_NOT_SUPPORTED, REMOTE_UNREACHABLE, REMOTE_REFUSED,
 * REMOTE_ANSWER_INVALID
 */
export async function listRemote(
  { ctx, connectors }: Tools,
  caller: Caller,
  { id, ...page }: { id: number; search: string; offset: number; limit: number },
): Promise<{ items: ListedRemoteDevice[]; total: number; offset: number; limit: number }> {
  await requireConnector(ctx.db, caller, id)
  const { items, total } = await (await connectors.remote.of(id)).list(page)
  const externalIds = items.map(({ externalId }) => externalId)
  const known = await findKnown(ctx.db, id, externalIds, readScopes(caller, 'virtualDevice'))
  return {
    items: items.map((item) => ({
      ...item,
      known: known.has(item.externalId),
      deviceId: known.get(item.externalId)?.deviceId ?? null,
    })),
    total,
    offset: page.offset,
    limit: page.limit,
  }
}

/**
 * Creates devices of a network server as a background job.
 * @throws AppError like `listRemote`, REMOTE_DEVICE_NOT_FOUND with the first missing one, REMOTE_NOTHING_NEW,
 * BACKGROUND_JOB_TOO_LARGE
 */
export async function importRemote(
  { ctx, connectors, jobs }: Tools,
  caller: Caller,
  input: { title: string; selection: RemoteSelection } & Omit<ImportSettings, 'columns'>,
) {
  const { title, selection, ...settings } = input
  const connector = await requireConnector(ctx.db, caller, settings.connectorId)
  const server = await connectors.remote.of(connector.id)
  const devicesMax = await bulkDevicesMaxOf(ctx.db, connector.accountId)
  const found =
    'remoteIds' in selection
      ? await readChosen(server, [...new Set(selection.remoteIds)])
      : await readAll(server, selection.search)
  const externalIds = found.map(({ externalId }) => externalId)
  const known = await findKnown(ctx.db, connector.id, externalIds, [])
  const news = found.filter(({ externalId }) => !known.has(externalId))
  if (news.length === 0) throw new AppError('REMOTE_NOTHING_NEW', { devices: found.length })
  if (news.length > devicesMax) throw new AppError('BACKGROUND_JOB_TOO_LARGE', { devicesMax })
  return importTable({ ctx, jobs }, caller, {
    title,
    source: 'network server',
    header: columns.map(({ target }) => target),
    rows: news.map(cellsOf),
    settings: { ...settings, columns },
  })
}

const columns = (['externalId', 'title', 'description', 'latitude', 'longitude'] as const).map(
  (target, column): ImportColumn & { target: typeof target } => ({ column, target }),
)

/** About a centimetre; numbers in cells have no exponents. */
const degreeDigits = 7

function cellsOf({ externalId, remoteId, name, description, latitude, longitude }: RemoteDevice): string[] {
  return [
    externalId,
    (name.trim() || remoteId).slice(0, limits.titleLengthMax),
    description.slice(0, limits.textLengthMax),
    latitude?.toFixed(degreeDigits) ?? '',
    longitude?.toFixed(degreeDigits) ?? '',
  ]
}

async function readChosen(server: RemoteServer, remoteIds: readonly string[]): Promise<RemoteDevice[]> {
  const found: RemoteDevice[] = []
  for (let at = 0; at < remoteIds.length; at += askedAtOnce) {
    const some = remoteIds.slice(at, at + askedAtOnce)
    const devices = await Promise.all(some.map((remoteId) => server.get(remoteId)))
    devices.forEach((device, place) => {
      if (!device) throw new AppError('REMOTE_DEVICE_NOT_FOUND', { remoteId: some[place] })
      found.push(device)
    })
  }
  return found
}

/** Bounded by the largest allowed job. */
async function readAll(server: RemoteServer, search: string): Promise<RemoteDevice[]> {
  const found = new Map<string, RemoteDevice>()
  for (let offset = 0; ; offset += allAtOnce) {
    const { items, total } = await server.list({ search, offset, limit: allAtOnce })
    if (total > bulkLimits.devicesMax)
      throw new AppError('BACKGROUND_JOB_TOO_LARGE', { devicesMax: bulkLimits.devicesMax })
    for (const item of items) found.set(item.externalId, item)
    if (offset + allAtOnce >= total || items.length === 0) return [...found.values()]
  }
}

/**
 * Deletes a device, on its network server first if requested. If that fails, it is kept here; if deleting it
 * here fails afterwards, the call can be repeated, because a device already gone there counts as deleted.
 * @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION, VDEVICE_DELETE_STATES_AGGREGATED, and like `listRemote`
 */
export async function deleteBoth(
  { ctx, connectors }: Tools,
  caller: Caller,
  { id, delete_remotely: remotely }: { id: number; delete_remotely: boolean },
): Promise<void> {
  if (remotely) await deleteThere({ ctx, connectors }, caller, await removableDevice(ctx, caller, id))
  await deleteDevice(ctx, caller, id, remotely)
}

/**
 * Deletes a device on its network server; one that is already gone counts as deleted.
 * @throws AppError like `listRemote`
 */
export async function deleteThere(
  { ctx, connectors }: Pick<Tools, 'ctx' | 'connectors'>,
  caller: Caller,
  { connectorId, externalId }: { connectorId: number; externalId: string },
): Promise<void> {
  // Uses the connector's key, so the caller also needs permission for the connector.
  await requireConnector(ctx.db, caller, connectorId)
  const server = await connectors.remote.of(connectorId)
  const device = await server.find(externalId)
  if (device) await server.remove(device)
}

/**
 * Compares a device with its record on the network server.
 * @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION, REMOTE_DEVICE_NOT_FOUND, and like `listRemote`
 */
export async function synchronize(
  { ctx, connectors }: Tools,
  caller: Caller,
  { id, take }: { id: number; take: readonly RemoteField[] },
) {
  const { connectorId, externalId } = await changeableDevice(ctx, caller, id)
  const remote = await (await connectors.remote.of(connectorId)).find(externalId)
  if (!remote) throw new AppError('REMOTE_DEVICE_NOT_FOUND', { externalId })
  const { taken, differences } = await synchronizeDevice(ctx, caller, id, (here) =>
    compare(here, remote, take),
  )
  return { device: await getDevice(ctx.db, caller, id), remote, taken, differences }
}
