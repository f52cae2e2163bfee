import { isEui64, isTtsId, normaliseExternalId } from '@leitstand/contract/identifiers'
import type { RemoteDevice } from '@leitstand/contract/remote'
import { AppError } from '../../../platform/errors.ts'
import { parseTime } from '../../../platform/time.ts'
import { asList, asNumber, asRecord, asText, type JsonRecord } from '../presets/read.ts'
import type { RemoteAnswer } from './ask.ts'
import type { Access, PageWanted, RemotePage, RemoteProtocol } from './types.ts'

const fields = 'name,description,locations,last_seen_at'
/** which of its servers know the device; a field is empty if the device was not registered there */
const serverFields = 'application_server_address,network_server_address,join_server_address'

/**
 * The Things Stack v3: the end device registry of its Identity Server. A device is registered with four
 * servers and deleted in the reverse order.
 */
export const tts: RemoteProtocol = {
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  list,
  get,
  find: async (access, externalId) => {
    if (!isEui64(externalId)) return get(access, externalId)
    const { ask, application } = access
    const devEui = normaliseExternalId(externalId)
    const query = { dev_eui_contains: devEui, field_mask: fields, limit: 10 }
    const { json } = await ask(`/api/v3/search/applications/${application}/devices`, { query })
    return devicesOf(json).find((device) => device.externalId === devEui)
  },
  remove,
}

async function list(
  { ask, application }: Access,
  { search, offset, limit }: PageWanted,
): Promise<RemotePage> {
  const path = `/applications/${application}/devices`
  const query = { field_mask: fields, limit, page: offset / limit + 1 }
  // Users may paste an EUI in any notation.
  const { json, totalCount } =
    search === ''
      ? await ask(`/api/v3${path}`, { query })
      : await ask(`/api/v3/search${path}`, { query: { ...query, query: normaliseExternalId(search) } })
  const items = devicesOf(json)
  // Without the header, assume at least one more device after a full page.
  const total = totalCount ?? offset + items.length + (items.length === limit ? 1 : 0)
  return { items, total }
}

async function get(access: Access, deviceId: string): Promise<RemoteDevice | undefined> {
  const found = await read(access, deviceId, fields)
  return found && deviceOf(found)
}

/** The registry also returns 404 for an unknown key: a device is missing only if the key may list devices. */
async function read(access: Access, deviceId: string, mask: string): Promise<JsonRecord | undefined> {
  if (!isTtsId(deviceId)) return undefined
  const { ask, application } = access
  const path = `/api/v3/applications/${application}/devices/${deviceId}`
  const { status, json } = await ask(path, { query: { field_mask: mask }, accept: [404] })
  if (status === 404) {
    await list(access, { search: '', offset: 0, limit: 1 })
    return undefined
  }
  const device = asRecord(json)
  if (!device) throw new AppError('REMOTE_ANSWER_INVALID', { detail: 'no device' })
  return device
}

async function remove(access: Access, { remoteId }: RemoteDevice): Promise<void> {
  const { ask, application, url } = access
  const found = await read(access, remoteId, serverFields)
  if (!found) return
  const path = `/applications/${application}/devices/${remoteId}`
  for (const { part, field, isOptional } of servers) {
    const address = asText(found[field])
    const where = whereIs(url, address)
    if (where === undefined && isOptional) continue
    if (where === undefined) throw elsewhere(part, address)
    await ask(`/api/v3/${part}${path}`, { ...where, method: 'DELETE', accept: [404] })
  }
  await ask(`/api/v3${path}`, { method: 'DELETE', accept: [404] })
}

/** The join server often belongs to the manufacturer; servers run by others keep the device. */
const servers = [
  { part: 'as', field: 'application_server_address', isOptional: false },
  { part: 'ns', field: 'network_server_address', isOptional: false },
  { part: 'js', field: 'join_server_address', isOptional: true },
] as const

/** The Things Stack clouds: they have servers in several regions, and a key is valid in all of them. */
const clouds = ['.cloud.thethings.network', '.cloud.thethings.industries'] as const

/**
 * Where to reach a server of a device: at the address in the settings, or in another region of the same
 * cloud. Undefined for any other address, so that the key is never sent elsewhere.
 * @param address of the server, with a port for its own protocol
 */
export function whereIs(url: string, address: string | undefined): { host?: string } | undefined {
  const host = address?.replace(/:\d+$/, '').toLowerCase()
  const own = new URL(url).hostname
  if (host === undefined || host === own) return {}
  return clouds.some((cloud) => own.endsWith(cloud) && /^[a-z0-9.-]+$/.test(host) && host.endsWith(cloud))
    ? { host }
    : undefined
}

function elsewhere(part: string, address: string | undefined): AppError {
  const detail = `The device is registered with another server (${part}: ${address})`
  return new AppError('REMOTE_REFUSED', { detail }, detail)
}

function devicesOf(json: RemoteAnswer['json']): RemoteDevice[] {
  const body = asRecord(json)
  if (!body) throw new AppError('REMOTE_ANSWER_INVALID', { detail: 'no list of devices' })
  return asList(body.end_devices).flatMap((item) => deviceOf(asRecord(item)) ?? [])
}

/** Empty and 0 fields are omitted: a latitude without a longitude is on the prime meridian. */
function deviceOf(device: JsonRecord | undefined): RemoteDevice | undefined {
  const ids = asRecord(device?.ids)
  const remoteId = asText(ids?.device_id)
  if (remoteId === undefined) return undefined
  const locations = asRecord(device?.locations)
  const place = asRecord(locations?.user) ?? asRecord(Object.values(locations ?? {})[0])
  return {
    remoteId,
    externalId: asText(ids?.dev_eui)?.toUpperCase() ?? remoteId,
    name: asText(device?.name) ?? '',
    description: asText(device?.description) ?? '',
    lastSeen: parseTime(device?.last_seen_at)?.toISOString() ?? null,
    ...positionOf(place),
  }
}

function positionOf(place: JsonRecord | undefined): Pick<RemoteDevice, 'latitude' | 'longitude'> {
  const latitude = asNumber(place?.latitude) ?? 0
  const longitude = asNumber(place?.longitude) ?? 0
  const isPosition = place !== undefined && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
  return isPosition ? { latitude, longitude } : { latitude: null, longitude: null }
}
