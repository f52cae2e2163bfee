import { randomUUID } from 'node:crypto'
import { jsonb } from '../../src/platform/db/index.ts'
import { all, holds, type Row, row } from './row.ts'
import type { Who, World } from './world.ts'

const manage = 'IsFmAccess manage'
const own = 'IsFmAccess write or IsFmAccess manage'
const from = '2026-01-01T00:00:00.000Z'

/** A connector that sends, to an address that nothing answers at. */
async function way(world: World) {
  const { id } = await world.app.ctx.db
    .insertInto('connectors')
    .values({
      account_id: world.own.id,
      scope_id: world.own.scopeId,
      name: world.unique('Hook'),
      kind: 'webhook-out',
      settings: jsonb({ url: 'http://127.0.0.1:9/lock' }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { kind: 'webhook', connectorId: id, payload: '' } as const
}

async function door(world: World) {
  const { id } = await world.twin()
  await world.app.ctx.db.updateTable('twins').set({ type: 'door' }).where('id', '=', id).execute()
  return { id }
}

async function lock(world: World) {
  const given = { twinId: (await door(world)).id, way: await way(world) }
  const { id, version, twin } = await world.app.api.isfmAccessMgmt.createLock(given)
  return { id, version, twin, way: given.way }
}

async function group(world: World) {
  const title = world.unique('Doors')
  const { id, version } = await world.app.api.isfmAccessMgmt.createGroup({ accountId: world.own.id, title })
  return { id, version, title }
}

/** The caller, if they are a user whom the account can give a key. */
async function keyHolder({ app, sibling }: World, { userId }: Who) {
  if (userId === null) return null
  const user = await app.ctx.db
    .selectFrom('users')
    .select('account_id')
    .where('id', '=', userId)
    .executeTakeFirst()
  return user?.account_id === sibling.id ? null : userId
}

/** A key of the caller, or of a user of the account where the caller cannot be given one. */
async function key(world: World, who: Who) {
  const { id: lockId, twin } = await lock(world)
  const { db } = world.app.ctx
  const userId = (await keyHolder(world, who)) ?? (await world.user(world.own, null)).id
  const at = world.app.ctx.clock.now()
  const { id, version } = await db
    .insertInto('door_keys')
    .values({
      account_id: world.own.id,
      user_id: userId,
      lock_id: lockId,
      valid_from: from,
      time_zone: 'Europe/Berlin',
      created_at: at,
      created_by: 'matrix',
    })
    .returning(['id', 'version'])
    .executeTakeFirstOrThrow()
  return { id, version, lockId, userId, door: twin.title }
}

/** A key of a user of the account. */
async function keyOfOther(world: World) {
  const user = await world.user(world.own, null)
  return key(world, { userId: user.id } as Who)
}

/** An activation by a user of the account. */
async function activation(world: World) {
  const { id: lockId, twin } = await lock(world)
  const at = world.app.ctx.clock.now()
  const { id } = await world.app.ctx.db
    .insertInto('lock_activations')
    .values({
      account_id: world.own.id,
      scope_id: world.own.scopeId,
      twin_id: twin.id,
      lock_id: lockId,
      lock_title: twin.title,
      key_id: 1,
      user_id: 0,
      user_name: 'Ada',
      requested_at: at,
      deadline: at,
      way: jsonb({ kind: 'webhook', connectorId: 1, payload: '' }),
      result: 'refused',
      reason: 'expired',
      ended_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, twinId: twin.id, door: twin.title }
}

const textOf = ({ body }: { body?: unknown }) => new Response(body as Blob).text()

export const keys: Record<string, Row> = {
  'isfmAccessMgmt.list': row({
    needs: manage,
    given: keyOfOther,
    call: (api) => api.isfmAccessMgmt.list(all),
    shows: holds,
  }),
  'isfmAccessMgmt.exportFile': row({
    needs: manage,
    given: keyOfOther,
    call: async (api) => textOf(await api.isfmAccessMgmt.exportFile({})),
    shows: (text, { door: title }) => text.includes(title),
  }),
  'isfmAccessMgmt.ofUser': row({
    needs: own,
    // Who may only use keys sees their own; this one is that of somebody else.
    alone: false,
    given: keyOfOther,
    call: (api, { userId }) => api.isfmAccessMgmt.ofUser({ userId, ...all }),
    shows: holds,
  }),
  'isfmAccessMgmt.mine': row({
    needs: own,
    // A program has no keys.
    except: { key: '403' },
    fresh: true,
    given: key,
    call: async (api) => api.isfmAccessMgmt.mine({}),
    shows: holds,
  }),
  'isfmAccessMgmt.create': row({
    needs: manage,
    given: async (world) => {
      const { id } = await world.user(world.own, world.roleIds.administrator)
      return { userId: id, lockId: (await lock(world)).id }
    },
    call: (api, { userId, lockId }) => api.isfmAccessMgmt.create({ userId, lockId, validFrom: from }),
    // The user has roles in a scope of the account, which who holds only this permission there sees as well.
  }),
  'isfmAccessMgmt.update': row({
    needs: manage,
    given: async (world) => {
      const { id } = await world.user(world.own, world.roleIds.administrator)
      return key(world, { userId: id } as Who)
    },
    call: (api, { id, version, lockId }) =>
      api.isfmAccessMgmt.update({ id, version, lockId, validFrom: from }),
  }),
  'isfmAccessMgmt.revoke': row({
    needs: manage,
    given: keyOfOther,
    call: (api, { id }) => api.isfmAccessMgmt.revoke({ id }),
  }),
  'isfmAccessMgmt.delete': row({
    needs: manage,
    given: keyOfOther,
    call: (api, { id }) => api.isfmAccessMgmt.delete({ id }),
  }),
  'isfmAccessMgmt.activateLock': row({
    needs: own,
    // A program and those who act for others open nothing.
    except: { key: '403', impersonated: 'self' },
    fresh: true,
    given: key,
    call: (api, { id }) => api.isfmAccessMgmt.activateLock({ id, requestId: randomUUID() }),
  }),
  'isfmAccessMgmt.activation': row({
    needs: own,
    alone: false,
    given: activation,
    call: (api, { id }) => api.isfmAccessMgmt.activation({ id }),
  }),
  'isfmAccessMgmt.log': row({
    needs: own,
    alone: false,
    given: activation,
    call: (api) => api.isfmAccessMgmt.log(all),
    shows: holds,
  }),
  'isfmAccessMgmt.logFile': row({
    needs: manage,
    given: activation,
    call: async (api, { twinId }) => textOf(await api.isfmAccessMgmt.logFile({ twinId })),
    shows: (text, { door: title }) => text.includes(title),
  }),
  'isfmAccessMgmt.locks': row({
    needs: manage,
    given: lock,
    call: (api) => api.isfmAccessMgmt.locks(all),
    shows: holds,
  }),
  'isfmAccessMgmt.createLock': row({
    needs: manage,
    // The connector is used with the right to read devices.
    reaches: 'LOCK_WAY_INVALID',
    given: async (world) => ({ twinId: (await door(world)).id, way: await way(world) }),
    call: (api, given) => api.isfmAccessMgmt.createLock(given),
  }),
  'isfmAccessMgmt.updateLock': row({
    needs: manage,
    reaches: 'LOCK_WAY_INVALID',
    given: lock,
    call: (api, { id, version, way: how }) => api.isfmAccessMgmt.updateLock({ id, version, way: how }),
  }),
  'isfmAccessMgmt.deleteLock': row({
    needs: manage,
    given: lock,
    call: (api, { id }) => api.isfmAccessMgmt.deleteLock({ id }),
  }),
  'isfmAccessMgmt.groups': row({
    needs: manage,
    given: group,
    call: (api) => api.isfmAccessMgmt.groups(all),
    shows: holds,
  }),
  'isfmAccessMgmt.createGroup': row({
    needs: manage,
    call: (api, _given, _who, world) =>
      api.isfmAccessMgmt.createGroup({ accountId: world.own.id, title: world.unique('Doors') }),
  }),
  'isfmAccessMgmt.updateGroup': row({
    needs: manage,
    given: group,
    call: (api, { id, version, title }) =>
      api.isfmAccessMgmt.updateGroup({ id, version, title, lockIds: [] }),
  }),
  'isfmAccessMgmt.deleteGroup': row({
    needs: manage,
    given: group,
    call: (api, { id }) => api.isfmAccessMgmt.deleteGroup({ id }),
  }),
  'isfmAccessMgmt.holders': row({
    needs: manage,
    given: lock,
    call: (api, { id }) => api.isfmAccessMgmt.holders({ lockId: id, ...all }),
  }),
  'isfmAccessMgmt.settings': row({
    needs: manage,
    call: (api, _given, _who, world) => api.isfmAccessMgmt.settings({ accountId: world.own.id }),
  }),
  'isfmAccessMgmt.setSettings': row({
    needs: manage,
    call: (api, _given, _who, world) =>
      api.isfmAccessMgmt.setSettings({ accountId: world.own.id, logMonths: 6 }),
  }),
}
