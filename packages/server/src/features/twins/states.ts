import type { JsonValue } from '@leitstand/contract/common'
import type { PositionAxis, State } from '@leitstand/contract/states'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { requireScript, titleToStore } from '../drivers/index.ts'
import { homeAccountOf } from '../people/index.ts'
import { clearCurrent } from '../series/index.ts'
import { changesOf } from './changes.ts'
import { saveQuery } from './members/index.ts'
import { bothScopes, readScopes, requireWrite, stateScopes, writeScopes } from './policy.ts'
import { moveTo } from './positions.ts'
import { isAggregate } from './sources/index.ts'
import type { CheckedSource, StateInput } from './sources/types.ts'
import { checkState, readValue } from './stateFields.ts'
import { aboutState, ownerForChange } from './stateOwner.ts'
import { isLinked, listLinked, lockLinks, replaceLinks, wouldLoop } from './store/links.ts'
import { findObject, type ObjectRow } from './store/objects.ts'
import {
  findConnector,
  findLinkedTo,
  findState,
  findStates,
  listKeys,
  type StateOwner,
} from './store/states.ts'
import {
  addStates,
  deleteStates,
  orderStates as orderStateRows,
  stateColumns,
  updateState as updateStateRow,
} from './store/stateWrites.ts'
import { conversion, convertCopies, requireConversion } from './values/convert.ts'
import { begin, type ValueTools } from './values/pages.ts'
import { countValues } from './values/store.ts'

/** States one twin may have. */
export const statesMax = 1000

export type StateTools = ValueTools

/** @throws AppError DTWIN_STATE_NOT_FOUND */
export async function getState(db: Executor, caller: Caller, id: number): Promise<State> {
  const state = await findState(db, stateScopes(caller), id)
  if (!state) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: id })
  return state
}

/**
 * Adds a state to a twin or device and computes the first value of an aggregate. @returns its id
 * @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION, DTWIN_STATE_DUPLICATE_KEY, VALIDATION_ERROR with `field`,
 *   and errors of its sources or transformer
 */
export async function createState(
  { ctx, series }: StateTools,
  caller: Caller,
  input: StateInput & { dtwinId: number; key: string },
): Promise<number> {
  await requireTransformer(ctx, caller, input)
  const { id, computed } = await ctx.db.transaction().execute(async (tx) => {
    // Lock links before the twin, as every change of links does, to avoid deadlocks.
    if (isAggregate(input.source)) await lockLinks(tx)
    const twin = await twinForStates(tx, caller, input.dtwinId)
    const source = checkState(twin.category, input.key, input)
    requireSight(caller, twin.scopeId, source)
    await requireSources(tx, caller, twin.category, source)
    await requireFreeAxis(tx, twin.id, input.positionAxis)
    const keys = await listKeys(tx, twin.id)
    if (keys.has(input.key)) throw new AppError('DTWIN_STATE_DUPLICATE_KEY', { key: input.key })
    if (keys.size >= statesMax) throw tooManyStates()
    const state = { key: input.key, ...stateColumns(input, source) }
    const [added] = await addStates(tx, [{ twinIds: [twin.id], states: [state] }], { now: ctx.clock.now() })
    // A packet may have created a state with this key concurrently.
    if (added === undefined) throw new AppError('DTWIN_STATE_DUPLICATE_KEY', { key: input.key })
    const stateId = added.id
    await replaceLinks(tx, [{ id: stateId, sourceIds: source.sourceIds }])
    if (source.query !== null) await saveQuery(tx, caller, stateId, twin, source.query)
    await recordActivity(tx, caller, {
      action: 'create',
      subject: 'State',
      objectId: stateId,
      objectTitle: `${twin.title} · ${input.title}`,
      accountId: twin.accountId,
    })
    return { id: stateId, computed: isAggregate(input.source) }
  })
  if (computed) await series.recompute([id])
  return id
}

/**
 * Changes everything but the key. After a change of the value type there is no current value until the next
 * one arrives.
 * @throws AppError DTWIN_STATE_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT, DEVICE_TEMPLATE_FIXED,
 * DTWIN_STATE_KEY_IMMUTABLE, AGGREGATE_LOOP, and errors of its sources or transformer
 */
export async function updateState(tools: StateTools, caller: Caller, given: ChangedState): Promise<void> {
  const { ctx, series } = tools
  await requireTransformer(ctx, caller, given)
  if (given.unitChange === 'values') await changeWithValues(tools, caller, given)
  else await ctx.db.transaction().execute((tx) => changeState(ctx, tx, caller, given))
  if (isAggregate(given.source)) await series.recompute([given.id])
}

type ChangedState = StateInput & {
  id: number
  version: number
  key?: string | undefined
  unitChange: 'label' | 'values'
}

/** Changes a state and converts its values to the new unit. */
async function changeWithValues(tools: StateTools, caller: Caller, given: ChangedState): Promise<void> {
  const { ctx, series } = tools
  const before = await ownerForChange(ctx.db, caller, given.id, { version: given.version })
  if (isAggregate(before.source) || isAggregate(given.source))
    throw new AppError('DTWIN_STATE_COMPUTED', { field: 'unit' })
  if (before.valueType !== 'number' || given.valueType !== 'number')
    throw new AppError('DTWIN_STATE_UNITS', { from: before.unit, to: given.unit })
  const how = requireConversion(before.unit, given.unit)
  await begin(tools, caller, conversion, {
    params: { stateId: given.id, ...how },
    total: await countValues(ctx.db, given.id),
    first: async (tx) => {
      const owner = await changeState(ctx, tx, caller, given)
      const change = { stateId: given.id, from: before.unit, to: given.unit, conversion: how }
      await convertCopies(tx, series, caller, { ...change, now: ctx.clock.now() })
      return owner
    },
    record: (tx, owner) =>
      recordActivity(tx, caller, {
        ...aboutState(owner, 'convertValues'),
        changes: { unit: { before: before.unit, after: given.unit } },
        isChange: false,
      }),
  })
}

/** Changes a state in a transaction. */
async function changeState(
  ctx: Context,
  tx: Executor,
  caller: Caller,
  given: ChangedState,
): Promise<StateOwner> {
  await lockLinks(tx)
  const owner = await ownerForChange(tx, caller, given.id, { version: given.version, lock: true })
  const input = { ...given, title: titleToStore(owner, given.title) }
  requireOwn(owner)
  if (input.key !== undefined && input.key !== owner.key) {
    throw new AppError('DTWIN_STATE_KEY_IMMUTABLE', { key: owner.key })
  }
  const source = checkState(owner.category, owner.key, input)
  requireSight(caller, owner.scopeId, source)
  await requireSources(tx, caller, owner.category, source)
  if (await wouldLoop(tx, owner.stateId, source.sourceIds)) throw new AppError('AGGREGATE_LOOP')
  await requireFreeAxis(tx, owner.twinId, input.positionAxis, owner.stateId)
  const before = await findState(tx, bothScopes(caller, 'write'), owner.stateId)
  await updateStateRow(tx, owner.stateId, input, source, ctx.clock.now())
  await replaceLinks(tx, [{ id: owner.stateId, sourceIds: source.sourceIds }])
  await saveQuery(tx, caller, owner.stateId, owner, source.query)
  if (owner.valueType !== input.valueType) await clearCurrent(tx, [owner.stateId])
  const {
    id: _,
    version: __,
    key: ___,
    unitChange: ____,
    ...after
  } = {
    ...input,
    sourceSettings: source.settings,
  }
  await recordActivity(tx, caller, {
    ...aboutState(owner, 'update'),
    objectTitle: `${owner.twinTitle} · ${input.title}`,
    changes: changesOf({ ...before }, after),
  })
  const moved = before?.positionAxis === input.positionAxis ? null : input.positionAxis
  if (moved !== null && typeof before?.value === 'number')
    await moveTo(ctx, tx, owner.twinId, moved, before.value)
  return owner
}

/**
 * Deletes a state with its values.
 * @throws AppError DTWIN_STATE_NOT_FOUND, NO_PERMISSION, DEVICE_TEMPLATE_FIXED, DTWIN_STATE_AGGREGATED with the states
 * that are computed from it
 */
export async function deleteState({ ctx }: StateTools, caller: Caller, id: number): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockLinks(tx)
    const owner = await ownerForChange(tx, caller, id, { lock: true })
    requireOwn(owner)
    if (await isLinked(tx, id)) {
      throw new AppError('DTWIN_STATE_AGGREGATED', { items: await listLinked(tx, id, stateScopes(caller)) })
    }
    await deleteStates(tx, [id])
    await recordActivity(tx, caller, aboutState(owner, 'delete'))
  })
}

/** Sets a value manually; it is processed like any other value. */
export async function setStateValue(
  { ctx, series }: StateTools,
  caller: Caller,
  input: { id: number; value: JsonValue; time?: string | undefined },
): Promise<void> {
  const owner = await ownerForChange(ctx.db, caller, input.id)
  const value = readValue(owner.valueType, input.value)
  const time = input.time === undefined ? ctx.clock.now() : new Date(input.time)
  await series.write([{ stateId: owner.stateId, value, time, source: { kind: 'manual' } }], (tx) =>
    recordActivity(tx, caller, {
      ...aboutState(owner, 'setValue'),
      changes: { value: { after: value }, time: time.toISOString() },
      isChange: false,
    }),
  )
}

/** @throws AppError DTWIN_STATE_NOT_FOUND when an id is not a state of the twin */
export async function orderStates(
  { ctx }: StateTools,
  caller: Caller,
  dtwinId: number,
  stateIds: readonly number[],
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const twin = await twinForStates(tx, caller, dtwinId)
    const found = await findStates(tx, bothScopes(caller, 'write'), stateIds)
    const own = new Set(found.filter(({ twinId }) => twinId === twin.id).map(({ id }) => id))
    const foreign = stateIds.find((id) => !own.has(id))
    if (foreign !== undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: foreign })
    await orderStateRows(tx, twin.id, stateIds)
    await recordActivity(tx, caller, {
      action: 'orderStates',
      subject: twin.category === 'digitalTwin' ? 'DigitalTwin' : 'VirtualDevice',
      objectId: twin.id,
      objectTitle: twin.title,
      accountId: twin.accountId,
    })
  })
}

/** Loads and locks the twin or device a state is added to. @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION */
async function twinForStates(tx: Executor, caller: Caller, id: number): Promise<ObjectRow> {
  const scopes = bothScopes(caller, 'read')
  const twin =
    (await findObject(tx, 'digitalTwin', scopes.digitalTwin, id, { lock: 'change' })) ??
    (await findObject(tx, 'virtualDevice', scopes.virtualDevice, id, { lock: 'change' }))
  if (!twin) throw new AppError('DTWIN_NOT_FOUND', { id })
  requireWrite(caller, twin.category, twin.scopeId)
  return twin
}

/** A part of the position has one linked state. @throws AppError DTWIN_STATE_POSITION_TAKEN */
async function requireFreeAxis(
  tx: Executor,
  twinId: number,
  axis: PositionAxis | null,
  exceptId: number | null = null,
): Promise<void> {
  if (axis === null) return
  const other = await findLinkedTo(tx, twinId, axis, exceptId)
  if (other !== undefined)
    throw new AppError('DTWIN_STATE_POSITION_TAKEN', { title: other, field: 'positionAxis' })
}

/** Refuses changes of states defined by a template. @throws AppError DEVICE_TEMPLATE_FIXED */
function requireOwn({ fixed }: StateOwner): void {
  if (fixed) throw new AppError('DEVICE_TEMPLATE_FIXED', { field: 'state' })
}

/** @throws AppError NO_PERMISSION when a source shows what the caller may not see */
function requireSight(caller: Caller, scopeId: number, { isFor }: CheckedSource): void {
  if (isFor === 'deviceReaders' && !readScopes(caller, 'virtualDevice').includes(scopeId))
    throw new AppError('NO_PERMISSION', { subject: 'VirtualDevice', action: 'read' })
  if (isFor === 'administrators' && !caller.can('super.system', 'manage'))
    throw new AppError('NO_PERMISSION', { subject: 'super.system', action: 'manage' })
}

/** Requires that all sources of a state exist and the caller may use them. */
async function requireSources(
  tx: Executor,
  caller: Caller,
  category: ObjectRow['category'],
  source: CheckedSource,
): Promise<void> {
  const found = new Set((await findStates(tx, stateScopes(caller), source.sourceIds)).map(({ id }) => id))
  const missing = source.sourceIds.find((id) => !found.has(id))
  if (missing !== undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: missing })
  if (source.connectorId === null) return
  const connector = await findConnector(tx, writeScopes(caller, category), source.connectorId)
  if (!connector) throw new AppError('CONNECTOR_NOT_FOUND', { id: source.connectorId })
}

async function requireTransformer(
  { db, scripts }: Context,
  caller: Caller,
  input: StateInput,
): Promise<void> {
  if (input.transformer === null) return
  const account = await homeAccountOf(db, caller)
  await requireScript(scripts, { kind: 'transformer', source: input.transformer, account })
}

function tooManyStates(): AppError {
  return new AppError('VALIDATION_ERROR', { field: 'dtwinId' }, `A twin can have at most ${statesMax} states`)
}
