import { isDeepStrictEqual } from 'node:util'
import type { Connector, ConnectorKind } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import { violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAccount } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import { newKey, shownKey, workingKeys } from './keys/keys.ts'
import { isAppliedAtOnce, kinds } from './kinds/index.ts'
import { remoteOf } from './remote/servers.ts'
import { opened, sealed } from './sealing.ts'
import {
  type ConnectorRecord,
  countUses,
  deleteConnector as deleteRow,
  findConnector,
  insertConnector,
  updateConnector as updateRow,
} from './store/connectors.ts'
import { insertKey, type KeyRow } from './store/keys.ts'
import type { ConnectorTools } from './tools.ts'
import { readingOf, type StoredSettings } from './types.ts'
import { demand, tryOut } from './validate.ts'

/** Longer old and new values are not copied into the activity log. */
const changeCharsMax = 2000

export interface ConnectorInput {
  readonly name: string
  readonly description: string
  readonly enabled: boolean
  readonly settings: Readonly<Record<string, JsonValue>>
}

/** @throws AppError CONNECTOR_NOT_FOUND, also when the caller may not manage it */
export async function requireConnector(
  { ctx }: ConnectorTools,
  caller: Caller,
  id: number,
): Promise<ConnectorRecord> {
  const found = await findConnector(ctx.db, caller.scopeIds('all', 'manage'), id)
  if (!found) throw new AppError('CONNECTOR_NOT_FOUND')
  return found
}

/** @throws AppError TENANT_NOT_FOUND, also when the caller does not manage the account */
export async function scopeOfAccount(
  { ctx }: ConnectorTools,
  caller: Caller,
  accountId: number,
): Promise<number> {
  return (await requireAccount(ctx.db, accountId, caller.scopeIds('all', 'manage'))).scopeId
}

/**
 * Checks the settings and stores them only if they work.
 * @returns its id, and the key of a webhook, which is not stored in clear text anywhere
 */
export async function createConnector(
  tools: ConnectorTools,
  caller: Caller,
  input: ConnectorInput & { readonly accountId: number; readonly kind: ConnectorKind },
): Promise<{ id: number; key: string | null }> {
  const { accountId, kind } = input
  const scopeId = await scopeOfAccount(tools, caller, accountId)
  const tried = await tryOut(tools, {
    accountId,
    kind,
    connectorId: null,
    stored: null,
    settings: input.settings,
    connect: input.enabled,
  })
  const { secrets } = tools.ctx
  const settings = sealed(secrets, kind, await toStore(kind, demand(tried), null), null)
  const made = kinds[kind].hasKey ? newKey() : null
  const { name, description, enabled } = input
  return naming(kind, () =>
    tools.ctx.db.transaction().execute(async (tx) => {
      const id = await insertConnector(tx, {
        accountId,
        scopeId,
        name,
        description,
        kind,
        enabled,
        settings,
      })
      if (made !== null) await insertKey(tx, id, made, tools.ctx.clock.now())
      await recordActivity(tx, caller, {
        action: 'create',
        subject: 'Connector',
        objectId: id,
        objectTitle: name,
        accountId,
        changes: { kind, enabled },
      })
      return { id, key: made?.key ?? null }
    }),
  )
}

/**
 * Checks changed settings and stores them only if they work. Unchanged settings are not checked, because
 * their broker may be unreachable.
 */
export async function updateConnector(
  tools: ConnectorTools,
  caller: Caller,
  input: ConnectorInput & { readonly id: number; readonly version: number },
): Promise<void> {
  const before = await requireConnector(tools, caller, input.id)
  if (before.version !== input.version) throw new AppError('VERSION_CONFLICT')
  const { kind, accountId } = before
  const { secrets } = tools.ctx
  const stored = opened(secrets, kind, before.settings)
  const switchedOn = input.enabled && !before.enabled
  const tried = await tryOut(tools, {
    accountId,
    kind,
    connectorId: before.id,
    stored,
    settings: input.settings,
    connect: input.enabled && (switchedOn || !sameConnection(before, input.settings)),
  })
  const settings = sealed(secrets, kind, await toStore(kind, demand(tried), stored), before.settings)
  const { name, description, enabled } = input
  await naming(kind, () =>
    tools.ctx.db.transaction().execute(async (tx) => {
      const change = { name, description, enabled, settings }
      if (!(await updateRow(tx, input.id, input.version, change))) throw new AppError('VERSION_CONFLICT')
      await recordActivity(tx, caller, {
        action: 'update',
        subject: 'Connector',
        objectId: input.id,
        objectTitle: name,
        accountId,
        changes: changesOf(before, change),
      })
    }),
  )
}

/**
 * Deletes a connector that nothing depends on.
 * @throws AppError CONNECTOR_IN_USE with the numbers of devices and states
 */
export async function deleteConnector(tools: ConnectorTools, caller: Caller, id: number): Promise<void> {
  const scopeIds = caller.scopeIds('all', 'manage')
  await tools.ctx.db.transaction().execute(async (tx) => {
    const found = await findConnector(tx, scopeIds, id, { lock: true })
    if (!found) throw new AppError('CONNECTOR_NOT_FOUND')
    const uses = await countUses(tx, id)
    if (uses.devices > 0 || uses.states > 0) throw new AppError('CONNECTOR_IN_USE', uses)
    await deleteRow(tx, id)
    const { name, accountId, kind } = found
    await recordActivity(tx, caller, {
      action: 'delete',
      subject: 'Connector',
      objectId: id,
      objectTitle: name,
      accountId,
      changes: { kind },
    })
  })
}

/**
 * A connector as the API returns it, without secrets. Callers who may only select it also get no settings,
 * key, addresses or last status message.
 */
export function present(
  tools: ConnectorTools,
  record: ConnectorRecord,
  keys: readonly KeyRow[],
  manages: boolean,
): Connector {
  const { kind, settings, createdAt, updatedAt, stateAt, stateMessage, scopeId: _scope, ...rest } = record
  const { lastMessageAt, lastRefusedAt } = manages ? record : { lastMessageAt: null, lastRefusedAt: null }
  return {
    ...rest,
    kind,
    preset: readingOf(record).preset,
    remote: remoteOf(record),
    settings: manages ? shownSettings(kind, settings) : {},
    keys: manages ? workingKeys(keys, tools.ctx.clock.now()).map(shownKey) : [],
    endpoints: manages ? (tools.running.of(kind).endpoints?.() ?? []) : [],
    stateMessage: manages ? stateMessage : '',
    stateAt: stateAt.toISOString(),
    lastMessageAt: lastMessageAt?.toISOString() ?? null,
    lastRefusedAt: lastRefusedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

function shownSettings(kind: ConnectorKind, settings: StoredSettings): StoredSettings {
  const shown = { ...settings }
  for (const secret of Object.keys(kinds[kind].secrets)) shown[secret] = ''
  return shown
}

/** Whether the settings that the connection depends on are unchanged; omitted settings stay as they are. */
function sameConnection(before: ConnectorRecord, settings: Readonly<Record<string, JsonValue>>): boolean {
  const shown = shownSettings(before.kind, before.settings)
  return Object.entries({ ...shown, ...settings }).every(
    ([key, value]) => isAppliedAtOnce(before.kind, key) || isDeepStrictEqual(shown[key], value),
  )
}

function changesOf(
  before: ConnectorRecord,
  after: Pick<ConnectorInput, 'name' | 'description' | 'enabled'> & { settings: StoredSettings },
): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const key of ['name', 'description', 'enabled'] as const) {
    if (before[key] !== after[key]) changes[key] = [before[key], after[key]]
  }
  const from = shownSettings(before.kind, before.settings)
  const to = shownSettings(before.kind, after.settings)
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (isDeepStrictEqual(from[key], to[key])) continue
    const both = [from[key] ?? null, to[key] ?? null]
    // a template may be long, so only record that it changed
    changes[`settings.${key}`] = JSON.stringify(both).length > changeCharsMax ? 'changed' : both
  }
  for (const secret of Object.keys(kinds[before.kind].secrets)) {
    if (before.settings[secret] !== after.settings[secret]) changes[`settings.${secret}`] = 'changed'
  }
  return changes
}

/** The settings to store after a successful check. */
async function toStore(
  kind: ConnectorKind,
  settings: StoredSettings,
  stored: StoredSettings | null,
): Promise<StoredSettings> {
  const { seal } = kinds[kind]
  return seal ? seal(settings, stored) : settings
}

const nameTaken = {
  name: 'name',
  message: 'Another connector of the account has this name',
  reason: 'nameTaken',
} as const

/** Turns unique violations into an error that names the setting. */
async function naming<T>(kind: ConnectorKind, store: () => Promise<T>): Promise<T> {
  try {
    return await store()
  } catch (error) {
    const index = violatedUnique(error) ?? ''
    const problem = index === 'connectors_account_id_name_key' ? nameTaken : kinds[kind].unique?.[index]
    if (!problem) throw error
    throw new AppError('BRIDGE_INVALID_SETTINGS', { checks: [{ ...problem, ok: false }] }, problem.message)
  }
}
