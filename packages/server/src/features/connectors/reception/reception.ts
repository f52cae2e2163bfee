import type { Reception } from '@leitstand/contract/reception'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { requireDevice } from '../../devices/index.ts'
import { kinds } from '../kinds/index.ts'
import { opened } from '../sealing.ts'
import type { ConnectorTools } from '../tools.ts'
import { hideAll } from './hide.ts'
import { listReachedLimits, loadReceiving } from './store.ts'

/** Reads why messages of a device could not be used; a later feature keeps them. */
export interface Refused {
  /** reasons without duplicates, the latest first */
  reasonsOf(connectorId: number, identifier: string): Promise<{ reason: string; at: Date }[]>
}

/**
 * Status of a device's connector, for users who may see the device. Details of the connection are meant for
 * the connector's managers, so its secrets are masked.
 * @throws AppError VDEVICE_NOT_FOUND, CONNECTOR_NOT_FOUND
 */
export async function receptionOf(
  { ctx: { db, secrets }, journal }: ConnectorTools,
  letters: Refused,
  caller: Caller,
  deviceId: number,
): Promise<Reception> {
  await requireDevice(db, caller, deviceId)
  await journal.flush()
  const found = await loadReceiving(db, deviceId)
  if (!found) throw new AppError('CONNECTOR_NOT_FOUND')
  const { id, name, kind, enabled, state, stateAt, lastMessageAt, limitReachedAt, lastError } = found
  const settings = opened(secrets, kind, found.settings)
  const hidden = Object.keys(kinds[kind].secrets).map((secret) => settings[secret])
  const [refused, limits] = await Promise.all([
    letters.reasonsOf(id, found.externalId),
    listReachedLimits(db, id),
  ])
  return {
    connector: {
      name,
      kind,
      enabled,
      state,
      stateMessage: hideAll(hidden, found.stateMessage),
      stateAt: stateAt.toISOString(),
      lastMessageAt: lastMessageAt?.toISOString() ?? null,
      lastError: lastError && {
        at: new Date(lastError.at).toISOString(),
        message: hideAll(hidden, lastError.message),
      },
    },
    refused: refused.map(({ reason, at }) => ({ reason, at: at.toISOString() })),
    limits: limits.map(({ lastAt, ...limit }) => ({ ...limit, lastAt: lastAt.toISOString() })),
    limitReachedAt: limitReachedAt?.toISOString() ?? null,
  }
}
