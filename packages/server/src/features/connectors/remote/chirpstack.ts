import type { JsonValue } from '@leitstand/contract/common'
import { isEui64 } from '@leitstand/contract/identifiers'
import type { RemoteDevice } from '@leitstand/contract/remote'
import { AppError } from '../../../platform/errors.ts'
import { parseTime } from '../../../platform/time.ts'
import { asList, asNumber, asRecord, asText, type JsonRecord } from '../presets/read.ts'
import type { Access, PageWanted, RemotePage, RemoteProtocol } from './types.ts'

/**
 * ChirpStack v4 through its REST API, which is the API of `device.proto` as JSON: fields that are 0 or empty
 * may be missing, times are text. It has no device position.
 */
export const chirpstack: RemoteProtocol = {
  headers: (key) => ({ 'grpc-metadata-authorization': `Bearer ${key}` }),
  list,
  get: find,
  find,
  remove: async ({ ask }, { remoteId }) => {
    await ask(`/api/devices/${remoteId}`, { method: 'DELETE', accept: [404] })
  },
}

async function list(
  { ask, application }: Access,
  { search, offset, limit }: PageWanted,
): Promise<RemotePage> {
  const query = { applicationId: application, limit, offset, ...(search === '' ? {} : { search }) }
  const body = asRecord((await ask('/api/devices', { query })).json)
  if (!body) throw new AppError('REMOTE_ANSWER_INVALID', { detail: 'no list of devices' })
  const items = asList(body.result).flatMap((item) => deviceOf(asRecord(item), asRecord(item)) ?? [])
  return { items, total: asNumber(body.totalCount) ?? 0 }
}

/**
 * For a device that does not exist, a tenant key gets 401 and a server key 404. Both mean "not found" if the
 * key may list the application.
 */
async function find(access: Access, devEui: string): Promise<RemoteDevice | undefined> {
  if (!isEui64(devEui)) return undefined
  const { ask, application } = access
  const { status, json } = await ask(`/api/devices/${devEui.toLowerCase()}`, { accept: [401, 403, 404] })
  if (status >= 400) {
    await list(access, { search: '', offset: 0, limit: 1 })
    return undefined
  }
  const body = asRecord(json)
  const device = asRecord(body?.device)
  if (!device) throw new AppError('REMOTE_ANSWER_INVALID', { detail: 'no device' })
  // Another application belongs to another connector, even if the key can reach it.
  if (asText(device.applicationId)?.toLowerCase() !== application.toLowerCase()) return undefined
  return deviceOf(device, body)
}

/** @param times the object next to the device, or the list item itself */
function deviceOf(device: JsonRecord | undefined, times: JsonRecord | undefined): RemoteDevice | undefined {
  const devEui = asText(device?.devEui)
  if (devEui === undefined || !isEui64(devEui)) return undefined
  return {
    remoteId: devEui.toLowerCase(),
    externalId: devEui.toUpperCase(),
    name: asText(device?.name) ?? '',
    description: asText(device?.description) ?? '',
    lastSeen: timeOf(times?.lastSeenAt),
    latitude: null,
    longitude: null,
  }
}

const timeOf = (value: JsonValue | undefined): string | null => parseTime(value)?.toISOString() ?? null
