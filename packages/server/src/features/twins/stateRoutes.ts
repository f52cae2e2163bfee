import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { titledFor, titleFor } from '../drivers/index.ts'
import { combine, windowOf } from '../series/index.ts'
import { reachOf } from './members/index.ts'
import { listMembers, summariseMembers } from './members/store.ts'
import { stateScopes } from './policy.ts'
import { checkSource } from './sources/index.ts'
import {
  createState,
  deleteState,
  getState,
  orderStates,
  type StateTools,
  setStateValue,
  updateState,
} from './states.ts'
import { computedFrom, listLinked, wouldLoop } from './store/links.ts'
import { findObject, type ObjectRow } from './store/objects.ts'
import { findStates, searchStates } from './store/states.ts'

/** @throws AppError DTWIN_NOT_FOUND */
async function requireObject(db: Executor, caller: Caller, id: number): Promise<ObjectRow> {
  const scopes = stateScopes(caller)
  const found =
    (await findObject(db, 'digitalTwin', scopes.digitalTwin, id)) ??
    (await findObject(db, 'virtualDevice', scopes.virtualDevice, id))
  if (found === undefined) throw new AppError('DTWIN_NOT_FOUND', { id })
  return found
}

/** The operations of states. An empty transformer means none. */
export function stateRoutes(tools: StateTools) {
  const { db } = tools.ctx
  return {
    create: os.state.create.handler(async ({ input, context: { caller } }) => {
      const id = await createState(tools, caller, {
        ...input,
        transformer: input.transformer?.trim() || null,
      })
      return titledFor(caller, await getState(db, caller, id))
    }),
    get: os.state.get.handler(async ({ input, context: { caller } }) =>
      titledFor(caller, await getState(db, caller, input.id)),
    ),
    update: os.state.update.handler(async ({ input, context: { caller } }) => {
      await updateState(tools, caller, { ...input, transformer: input.transformer?.trim() || null })
      return titledFor(caller, await getState(db, caller, input.id))
    }),
    delete: os.state.delete.handler(async ({ input, context: { caller } }) => {
      await deleteState(tools, caller, input.id)
      return { ok: true as const }
    }),
    setValue: os.state.setValue.handler(async ({ input, context: { caller } }) => {
      await setStateValue(tools, caller, input)
      return titledFor(caller, await getState(db, caller, input.id))
    }),
    order: os.state.order.handler(async ({ input, context: { caller } }) => {
      await orderStates(tools, caller, input.dtwinId, [...new Set(input.stateIds)])
      return { ok: true as const }
    }),
    linkedAggregations: os.state.linkedAggregations.handler(async ({ input, context: { caller } }) => {
      await getState(db, caller, input.id)
      return { items: await listLinked(db, input.id, stateScopes(caller)) }
    }),
    aggregateValue: os.state.aggregateValue.handler(async ({ input, context: { caller } }) => {
      const ids = [...new Set(input.stateIds)]
      const found = await findStates(db, stateScopes(caller), ids)
      const missing = ids.find((id) => !found.some((state) => state.id === id))
      if (missing !== undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: missing })
      const inputs = found.flatMap(({ value, time }) =>
        value === null || time === null ? [] : [{ value, time: new Date(time) }],
      )
      return {
        value: combine(input.method, inputs),
        inputs: found.map((state) => ({
          stateId: state.id,
          title: titleFor(caller, state),
          value: state.value,
          time: state.time,
        })),
      }
    }),
    aggregateMembers: os.state.aggregateMembers.handler(async ({ input, context: { caller } }) => {
      const { query, method, stale, offset, limit } = input
      const owner = await requireObject(db, caller, input.dtwinId)
      if (input.stateId !== undefined) await getState(db, caller, input.stateId)
      const without = input.stateId === undefined ? [] : [...(await computedFrom(db, input.stateId))]
      const question = { query, reach: await reachOf(db, caller, owner, query), without }
      const { total, ...summary } = await summariseMembers(db, question, {
        method,
        stale,
        now: tools.ctx.clock.now(),
      })
      const rows = total <= offset ? [] : await listMembers(db, question, { offset, limit })
      const items = rows.map(({ time, title, ...row }) => ({
        ...row,
        title: titleFor(caller, { title, key: query.key }),
        time: time?.toISOString() ?? null,
      }))
      return { ...summary, items, total, offset, limit }
    }),
    windowValue: os.state.windowValue.handler(async ({ input, context: { caller } }) => {
      const owner = { category: 'digitalTwin', key: 'preview', valueType: 'number' } as const
      const { settings, sourceIds } = checkSource('timeseries-aggregate', input, owner)
      const [source] = await findStates(db, stateScopes(caller), sourceIds)
      const window = windowOf(settings)
      if (source === undefined || window === null)
        throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: sourceIds[0] })
      const now = tools.ctx.clock.now()
      const found = await tools.series.lookBack(window, source.id)
      const from = found?.fromMs == null ? null : new Date(found.fromMs).toISOString()
      return {
        value: found?.value ?? null,
        period: from === null ? null : { from, to: now.toISOString() },
        count: found?.count ?? 0,
      }
    }),
    checkForAggregateLoop: os.state.checkForAggregateLoop.handler(async ({ input, context: { caller } }) => {
      await getState(db, caller, input.stateId)
      return { loop: await wouldLoop(db, input.stateId, input.stateIds) }
    }),
    search: os.state.search.handler(async ({ input, context: { caller } }) => {
      const found = await searchStates(db, stateScopes(caller), input, input)
      const items = found.items.map(({ accountId: _, ...state }) => titledFor(caller, state))
      return { items, total: found.total, offset: input.offset, limit: input.limit }
    }),
  }
}
