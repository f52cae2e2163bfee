import { connectorKeysMax } from '@leitstand/contract/bridge'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { recordActivity } from '../../activity/index.ts'
import { kinds } from '../kinds/index.ts'
import { findConnector, moveVersionOn } from '../store/connectors.ts'
import { deleteEndedKeys, deleteKey, endKeys, insertKey, readKeys } from '../store/keys.ts'
import type { ConnectorTools } from '../tools.ts'
import { newKey } from './keys.ts'

const hourMs = 3_600_000

/**
 * Creates a key; previous keys expire after the overlap, or earlier if already set.
 * @returns the key, which is not stored in clear text
 * @throws AppError CONNECTOR_NOT_FOUND, CONNECTOR_KEYLESS, CONNECTOR_KEYS_MAX
 */
export async function makeKey(
  { ctx }: ConnectorTools,
  caller: Caller,
  { id, overlapHours }: { id: number; overlapHours: number },
): Promise<string> {
  const made = newKey()
  await ctx.db.transaction().execute(async (tx) => {
    const found = await findConnector(tx, caller.scopeIds('all', 'manage'), id, { lock: true })
    if (!found) throw new AppError('CONNECTOR_NOT_FOUND')
    if (!kinds[found.kind].hasKey) throw new AppError('CONNECTOR_KEYLESS')
    const now = ctx.clock.now()
    await endKeys(tx, id, new Date(now.getTime() + overlapHours * hourMs))
    await deleteEndedKeys(tx, id, now)
    const left = (await readKeys(tx, [id])).get(id) ?? []
    if (left.length >= connectorKeysMax) throw new AppError('CONNECTOR_KEYS_MAX', { max: connectorKeysMax })
    await insertKey(tx, id, made, now)
    await moveVersionOn(tx, id)
    await recordActivity(tx, caller, {
      action: 'makeKey',
      subject: 'Connector',
      objectId: id,
      objectTitle: found.name,
      accountId: found.accountId,
      changes: { key: made.hint, overlapHours, before: left.map(({ hint }) => hint) },
    })
  })
  return made.key
}

/** Revokes a key at once. @throws AppError CONNECTOR_NOT_FOUND, CONNECTOR_KEY_NOT_FOUND */
export async function endKey(
  { ctx }: ConnectorTools,
  caller: Caller,
  { id, keyId }: { id: number; keyId: number },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const found = await findConnector(tx, caller.scopeIds('all', 'manage'), id, { lock: true })
    if (!found) throw new AppError('CONNECTOR_NOT_FOUND')
    const hint = await deleteKey(tx, id, keyId)
    if (hint === undefined) throw new AppError('CONNECTOR_KEY_NOT_FOUND')
    await moveVersionOn(tx, id)
    await recordActivity(tx, caller, {
      action: 'endKey',
      subject: 'Connector',
      objectId: id,
      objectTitle: found.name,
      accountId: found.accountId,
      changes: { key: hint },
    })
  })
}
