import { connectorKinds } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import * as z from 'zod'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import {
  createConnector,
  deleteConnector,
  present,
  requireConnector,
  scopeOfAccount,
  updateConnector,
} from './connectors.ts'
import { endKey, makeKey } from './keys/change.ts'
import type { HookKeys } from './keys/registry.ts'
import { capabilitiesOf, kinds } from './kinds/index.ts'
import { opened } from './sealing.ts'
import { listConnectors } from './store/connectors.ts'
import { listLogs, listTraffic } from './store/journal.ts'
import { readKeys } from './store/keys.ts'
import type { Supervisor } from './supervisor.ts'
import type { ConnectorTools } from './tools.ts'
import { tryOut, trySample } from './validate.ts'

/** Operations on connectors. */
export function bridgeRoutes(tools: ConnectorTools, supervisor: Supervisor, keys: HookKeys) {
  const { ctx, journal } = tools
  const { db } = ctx
  const types = kindList(tools)
  const get = async (caller: Caller, id: number) => {
    const found = await requireConnector(tools, caller, id)
    await keys.flush()
    return present(tools, found, (await readKeys(db, [id])).get(id) ?? [], true)
  }
  return {
    types: os.bridge.types.handler(() => ({ items: types })),
    list: os.bridge.list.handler(async ({ input, context: { caller } }) => {
      const manage = caller.scopeIds('all', 'manage')
      const pick = [
        ...caller.scopeIds('VirtualDevice', 'read'),
        ...caller.scopeIds('VirtualDevice', 'manage'),
      ]
      const { items, total } = await listConnectors(db, { manage, pick }, input)
      const managed = new Set(manage)
      const found = await readKeys(
        db,
        items.map(({ id }) => id),
      )
      return {
        items: items.map((item) => present(tools, item, found.get(item.id) ?? [], managed.has(item.scopeId))),
        total,
        offset: input.offset,
        limit: input.limit,
      }
    }),
    get: os.bridge.get.handler(({ input, context: { caller } }) => get(caller, input.id)),
    create: os.bridge.create.handler(async ({ input, context: { caller } }) => {
      const { id, key } = await createConnector(tools, caller, input)
      await supervisor.refresh(id)
      return { ...(await get(caller, id)), key }
    }),
    makeKey: os.bridge.makeKey.handler(async ({ input, context: { caller } }) => {
      const key = await makeKey(tools, caller, input)
      await supervisor.refresh(input.id)
      return { ...(await get(caller, input.id)), key }
    }),
    endKey: os.bridge.endKey.handler(async ({ input, context: { caller } }) => {
      await endKey(tools, caller, input)
      await supervisor.refresh(input.id)
      return get(caller, input.id)
    }),
    update: os.bridge.update.handler(async ({ input, context: { caller } }) => {
      await updateConnector(tools, caller, input)
      await supervisor.refresh(input.id)
      return get(caller, input.id)
    }),
    delete: os.bridge.delete.handler(async ({ input, context: { caller } }) => {
      await deleteConnector(tools, caller, input.id)
      await supervisor.refresh(input.id)
      return { ok: true as const }
    }),
    validate: os.bridge.validate.handler(({ input, context: { caller } }) => validate(tools, caller, input)),
    stateReset: os.bridge.stateReset.handler(async ({ input, context: { caller } }) => {
      const { id, target } = input
      const { name: objectTitle, accountId, state } = await requireConnector(tools, caller, id)
      const about = { action: 'stateReset', subject: 'Connector', objectId: id, objectTitle, accountId }
      // Recorded first: a reconnect cannot be rolled back.
      await recordActivity(db, caller, { ...about, changes: { state: [state, target] }, isChange: false })
      await supervisor.reset(id, target)
      return get(caller, input.id)
    }),
    traffic: os.bridge.traffic.handler(async ({ input, context: { caller } }) => {
      await requireConnector(tools, caller, input.id)
      await journal.flush()
      return { items: await listTraffic(db, input.id, input.limit) }
    }),
    logs: os.bridge.logs.handler(async ({ input, context: { caller } }) => {
      await requireConnector(tools, caller, input.id)
      await journal.flush()
      return { items: await listLogs(db, input.id, input.limit) }
    }),
  }
}

type ValidateInput = Parameters<Parameters<typeof os.bridge.validate.handler>[0]>[0]['input']

async function validate(tools: ConnectorTools, caller: Caller, input: ValidateInput) {
  const stored = input.id === undefined ? null : await requireConnector(tools, caller, input.id)
  if (!stored) await scopeOfAccount(tools, caller, input.accountId)
  const trial = {
    accountId: stored?.accountId ?? input.accountId,
    kind: stored?.kind ?? input.kind,
    connectorId: stored?.id ?? null,
    settings: input.settings,
    stored: stored && opened(tools.ctx.secrets, stored.kind, stored.settings),
    connect: true,
  }
  const { checks, settings } = await tryOut(tools, trial)
  if (input.sample === undefined || !settings) return { ok: checks.every(({ ok }) => ok), checks }
  const { check, packets } = await trySample(tools, trial, settings, input.sample)
  const all = [...checks, check]
  return { ok: all.every(({ ok }) => ok), checks: all, packets }
}

/** Every kind with its capabilities. */
function kindList({ running }: ConnectorTools) {
  return connectorKinds.map((kind) => {
    const { presets, schema } = kinds[kind]
    const { receive } = running.of(kind)
    return {
      kind,
      direction: receive ? ('in' as const) : ('out' as const),
      capabilities: capabilitiesOf(kinds[kind], running.of(kind)),
      presets: [...presets],
      settingsSchema: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<
        string,
        JsonValue
      >,
    }
  })
}
