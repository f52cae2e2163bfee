import type { JsonValue } from '@leitstand/contract/common'
import type { PacketFault } from '@leitstand/contract/errors'
import type { PositionAxis } from '@leitstand/contract/states'
import type { Executor } from '../../platform/db/index.ts'
import { kept, type Unit } from '../../platform/db/writer.ts'
import { AppError } from '../../platform/errors.ts'
import type { ScriptEngine, ScriptInput } from '../../platform/scripts/types.ts'
import type { ValueSource } from '../../topics/valuesStored.ts'
import { combine, inOrderOfSources, newest, type TimedValue } from './aggregate.ts'
import type { StateCatalog } from './catalog.ts'
import { reopening } from './days/store.ts'
import {
  readCurrentTimes,
  type StateMeta,
  storeFirstNumbers,
  storeNewNumbers,
  storeNumbers,
  storeOthers,
  type TypedValue,
} from './store.ts'
import { toColumns, type ValueColumns } from './values.ts'

/** A value for a state. */
export interface ValueInput {
  stateId: number
  value: JsonValue
  time: Date
  /** the caller's own reference; returned with a refusal */
  origin?: object
  /** absent: unknown */
  source?: ValueSource
}

/** A stored value. */
export interface StoredValue extends ValueInput {
  source: ValueSource
  twinId: number
  accountId: number
  key: string
  /** it is this part of the position of its twin */
  axis: PositionAxis | null
  /** it belongs to a digital twin and has a level */
  hasLevel: boolean
  /** it is the newest value of its state */
  isCurrent: boolean
  /**
   * it was the newest when it was stored; a newer one may have come in the same transaction. Only set for followed
   * states.
   */
  wasNewest: boolean
}

/** A value that could not be stored, with the reason. */
export interface RefusedValue extends ValueInput, PacketFault {}

/** A state to compute after the commit, with the changed values of its sources. */
export interface Pending {
  meta: StateMeta
  changes: StoredValue[]
}

export interface Applied {
  /** by state id */
  pending: Map<number, Pending>
  /** `isCurrent` and `wasNewest` are valid once `answered` has resolved */
  stored: StoredValue[]
  refused: RefusedValue[]
  answered: Promise<void>[]
}

/**
 * `usual`: expects none of the values to be stored already; the transaction fails (unique key of
 * `state_values`) if one is. `careful`: values may be stored already; costs the database twice as much.
 * `computed`: values computed from others replace those with the same time.
 */
export type ApplyMode = 'usual' | 'careful' | 'computed'

/** Maximum depth of aggregates of aggregates. Loops are refused when a state is saved. */
export const depthMax = 20

export const computedSource: ValueSource = { kind: 'computed' }
const unknownSource: ValueSource = { kind: 'unknown' }

/** Dependencies of transformers. */
export interface Tools {
  catalog: StateCatalog
  scripts: ScriptEngine
}

interface ApplyTools {
  catalog: StateCatalog
  /** by the clock of the platform */
  now: Date
  /** whether a consumer follows a state */
  isFollowed: (stateId: number) => boolean
}

/**
 * Sends values to the database and applies their direct consequences: newer current values, and states that
 * copy every value of a single source, including late ones. Late values go into the history and never
 * overwrite a current value. States that combine several sources or run a transformer are computed after the
 * commit (`pending`).
 * @param mode see `ApplyMode`
 * @param inputs values whose own transformers have run (`transformValues`)
 */
export async function applyValues(
  unit: Unit,
  { catalog, now, isFollowed }: ApplyTools,
  inputs: readonly (ValueInput | ComputedInput)[],
  mode: ApplyMode,
): Promise<Applied> {
  const result: Applied = { stored: [], refused: [], answered: [], pending: new Map() }
  let wave: readonly ValueInput[] = inputs
  for (let depth = 0; wave.length > 0 && depth < depthMax; depth++) {
    const metas = await catalog.get(
      unit.db,
      wave.map(({ stateId }) => stateId),
    )
    const dependents = await catalog.get(unit.db, dependentsOf(metas))
    const computed = depth > 0 || mode === 'computed'
    const stored = sendWave(unit, { metas, now, isFollowed, computed, mode }, wave, result)
    for (const value of stored) result.stored.push(value)
    if (dependents.size === 0) break
    wave = follow(metas, dependents, stored, result.pending)
  }
  return result
}

/** A computed value with its inputs, for its transformer. */
export interface ComputedInput extends ValueInput {
  values: { stateId: number; value: JsonValue; time: string }[]
}

/** Running scripts of an account. */
export interface ScriptRun {
  accountId: number
  done: Promise<unknown>
}

/**
 * Runs the transformers of the states, with one sandbox call for all states of an account that share a
 * script. A result of undefined drops the value.
 * @param wait decides how long to wait for the scripts of each account
 * @throws AppError OVERLOADED when the sandbox is busy, and any error of `wait`
 */
export async function transformValues<T extends ValueInput>(
  db: Executor,
  { catalog, scripts }: Tools,
  inputs: readonly T[],
  wait: (runs: readonly ScriptRun[]) => Promise<void> = async () => undefined,
): Promise<{ values: T[]; refused: RefusedValue[] }> {
  const metas = await catalog.get(
    db,
    inputs.map(({ stateId }) => stateId),
  )
  const values: T[] = []
  const refused: RefusedValue[] = []
  const groups = new Map<string, { meta: StateMeta; input: T }[]>()
  for (const input of inputs) {
    const meta = metas.get(input.stateId)
    if (meta === undefined || meta.transformer === null) {
      values.push(input)
      continue
    }
    const name = `${meta.accountId} ${meta.transformer}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [{ meta, input }])
    else group.push({ meta, input })
  }
  if (groups.size === 0) return { values, refused }
  const runs = [...groups.values()].map((group) => ({
    accountId: (group[0] as (typeof group)[number]).meta.accountId,
    done: kept(runTransformer(scripts, group)),
  }))
  await wait(runs)
  const transformed = await Promise.all(runs.map(({ done }) => done))
  for (const part of transformed) {
    values.push(...part.values)
    refused.push(...part.refused)
  }
  return { values, refused }
}

/** Runs one transformer over the values of all states that use it. */
async function runTransformer<T extends ValueInput>(
  scripts: ScriptEngine,
  group: readonly { meta: StateMeta; input: T }[],
): Promise<{ values: T[]; refused: RefusedValue[] }> {
  const [first] = group
  if (first === undefined) return { values: [], refused: [] }
  const answers = await scripts.run(
    {
      id: `state:${first.meta.id}@${first.meta.version}`,
      source: first.meta.transformer ?? '',
      kind: 'transformer',
      group: `account:${first.meta.accountId}`,
    },
    group.map(({ meta, input }) => transformerInput(meta, input)),
  )
  const values: T[] = []
  const refused: RefusedValue[] = []
  for (const [index, answer] of answers.entries()) {
    const { input } = group[index] as (typeof group)[number]
    if (answer.ok) {
      if (answer.value !== undefined) values.push({ ...input, value: answer.value as JsonValue })
    } else if (answer.error.code === 'SCRIPT_ENGINE_BUSY') {
      throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
    } else {
      refused.push({ ...input, code: answer.error.code, message: answer.error.message })
    }
  }
  return { values, refused }
}

function transformerInput(meta: StateMeta, input: ValueInput | ComputedInput): ScriptInput {
  return {
    value: input.value,
    meta: {
      time: input.time.toISOString(),
      state: { id: meta.id, key: meta.key },
      twin: { id: meta.twinId },
    },
    ...('values' in input ? { values: input.values as ComputedInput['values'] } : {}),
  }
}

/** Ids of the states computed from these. */
function dependentsOf(metas: ReadonlyMap<number, StateMeta>): Set<number> {
  const ids = new Set<number>()
  for (const { dependentIds } of metas.values()) for (const id of dependentIds) ids.add(id)
  return ids
}

interface WaveTools {
  metas: ReadonlyMap<number, StateMeta>
  now: Date
  isFollowed: ApplyTools['isFollowed']
  computed: boolean
  mode: ApplyMode
}

/** Checks types, sends the values and updates current values. */
function sendWave(
  unit: Unit,
  { metas, now, isFollowed, computed, mode }: WaveTools,
  wave: readonly ValueInput[],
  result: Applied,
): StoredValue[] {
  const { stored, numbers, others, latest, repeated, mayCollide } = sortByColumn(metas, wave, result)
  for (const statement of reopening(stored, now)) void unit.send(statement)
  const wanted = new Set([...repeated].filter(isFollowed))
  // Sent first: the times before these values.
  if (wanted.size > 0)
    result.answered.push(
      kept(unit.send(readCurrentTimes([...wanted])).then((rows) => markNewest(stored, wanted, rows))),
    )
  const mark = (rows: readonly { state_id: number }[]) => {
    for (const { state_id: stateId } of rows) {
      const newest = latest.get(stateId)
      if (newest !== undefined) newest.isCurrent = true
    }
  }
  const isUsual = mode === 'usual' && !mayCollide && !computed
  if (numbers.length > 0 && isUsual) result.answered.push(kept(sendNewNumbers(unit, numbers, latest)))
  else if (numbers.length > 0)
    result.answered.push(kept(unit.send(storeNumbers(numbers, computed)).then(mark)))
  if (others.length > 0) result.answered.push(kept(unit.send(storeOthers(others, computed)).then(mark)))
  return stored
}

/**
 * Marks the values of states with several that were the newest at their turn: a short peak is followed by rules,
 * whether or not the values after it were stored in the same transaction.
 */
function markNewest(
  stored: readonly StoredValue[],
  repeated: ReadonlySet<number>,
  before: readonly { state_id: number; time: Date }[],
): void {
  const newestMs = new Map(before.map(({ state_id: stateId, time }) => [stateId, time.getTime()]))
  for (const value of stored) {
    if (!repeated.has(value.stateId)) continue
    const ms = value.time.getTime()
    const known = newestMs.get(value.stateId)
    if (known !== undefined && ms <= known) continue
    newestMs.set(value.stateId, ms)
    value.wasNewest = true
  }
}

async function sendNewNumbers(
  unit: Unit,
  numbers: readonly NumberValue[],
  latest: ReadonlyMap<number, StoredValue>,
): Promise<void> {
  const isLatest = numbers.map((value) => latest.get(value.stateId) === value)
  const rows = await unit.send(storeNewNumbers(numbers, isLatest))
  for (const { state_id: stateId, newest } of rows) {
    const value = latest.get(stateId)
    if (value !== undefined) value.isCurrent = newest
  }
  const known = new Set(rows.map(({ state_id: stateId }) => stateId))
  const first = numbers.filter(({ stateId }, index) => isLatest[index] && !known.has(stateId))
  if (first.length === 0) return
  for (const value of first) value.isCurrent = true
  await unit.send(storeFirstNumbers(first))
}

type NumberValue = StoredValue & { value: number }

/** Splits the valid values by target columns; keeps the last value per state and millisecond. */
function sortByColumn(metas: ReadonlyMap<number, StateMeta>, wave: readonly ValueInput[], result: Applied) {
  const stored: StoredValue[] = []
  const columnsOf = new Map<StoredValue, ValueColumns>()
  const latest = new Map<number, StoredValue>()
  const repeated = new Set<number>()
  // Two values of a state can only share a time if they are not strictly ascending.
  let mayCollide = false
  for (const input of wave) {
    const { stateId, value, time, source = unknownSource } = input
    const meta = metas.get(stateId)
    if (meta === undefined) {
      const message = `state ${stateId} is gone`
      result.refused.push({ ...input, code: 'DTWIN_STATE_NOT_FOUND', message })
      continue
    }
    const { twinId, accountId, key, axis, hasLevel } = meta
    const accepted: StoredValue = {
      stateId,
      value,
      time,
      source,
      twinId,
      accountId,
      key,
      axis,
      hasLevel,
      isCurrent: false,
      wasNewest: false,
    }
    // Numbers for number states are the common case and skip the column check.
    if (meta.valueType !== 'number' || typeof value !== 'number' || !Number.isFinite(value)) {
      const columns = toColumns(value, meta.valueType)
      if (columns === null) {
        const message = `${key}: not a ${meta.valueType}`
        const params = { key, kind: meta.valueType }
        result.refused.push({ ...input, code: 'VALUE_WRONG_TYPE', message, params })
        continue
      }
      columnsOf.set(accepted, columns)
    }
    stored.push(accepted)
    const best = latest.get(stateId)
    if (best !== undefined) repeated.add(stateId)
    if (best !== undefined && best.time >= time) mayCollide = true
    if (best === undefined || best.time <= time) latest.set(stateId, accepted)
  }
  const numbers: NumberValue[] = []
  const others: TypedValue[] = []
  for (const value of mayCollide ? lastPerTime(stored) : stored) {
    const columns = columnsOf.get(value)
    if (columns !== undefined) others.push({ stateId: value.stateId, time: value.time, columns })
    else numbers.push(value as NumberValue)
  }
  return { stored, numbers, others, latest, repeated, mayCollide }
}

/** The last value per state and millisecond: a statement cannot touch a row twice. */
function lastPerTime(values: readonly StoredValue[]): Iterable<StoredValue> {
  return new Map(values.map((value) => [`${value.stateId} ${value.time.getTime()}`, value])).values()
}

/** Whether a state follows from the current values of its sources alone, which are always the same. */
export function isPlain(meta: StateMeta): boolean {
  return meta.window === null && meta.stale === null && !meta.byQuery
}

/** Whether a state copies every value of its single source. */
export function passesThrough(meta: StateMeta): boolean {
  return (
    isPlain(meta) &&
    meta.sourceIds.length === 1 &&
    ['latest', 'avg', 'min', 'max', 'sum', 'median'].includes(meta.method)
  )
}

/** Whether a state is computed in the transaction that stores a value of its source. */
export function isTakenAlong(meta: StateMeta): boolean {
  return meta.transformer === null && passesThrough(meta)
}

/**
 * Values for the states that copy the stored values.
 * @param pending receives the states to compute after the commit
 */
function follow(
  metas: ReadonlyMap<number, StateMeta>,
  dependents: ReadonlyMap<number, StateMeta>,
  stored: readonly StoredValue[],
  pending: Map<number, Pending>,
): ValueInput[] {
  const taken: ValueInput[] = []
  for (const value of stored) {
    for (const id of metas.get(value.stateId)?.dependentIds ?? []) {
      const meta = dependents.get(id)
      if (meta === undefined) continue
      if (isTakenAlong(meta))
        taken.push({ stateId: meta.id, value: value.value, time: value.time, source: value.source })
      else {
        const known = pending.get(meta.id)
        if (known === undefined) pending.set(meta.id, { meta, changes: [value] })
        else known.changes.push(value)
      }
    }
  }
  return taken
}

/** The value of an aggregate from the current values of its sources; null if there is none. */
export function computeNow(
  aggregate: Pick<StateMeta, 'id' | 'method' | 'sourceIds' | 'transformer'>,
  current: ReadonlyMap<number, TimedValue>,
): ComputedInput | null {
  const inputs = inOrderOfSources(aggregate.sourceIds, current)
  const time = newest(inputs)?.time
  const value = combine(aggregate.method, inputs)
  if (time === undefined || value === null) return null
  return {
    stateId: aggregate.id,
    value,
    time,
    source: computedSource,
    values: inputsOf(aggregate, () => inputs),
  }
}

/** Sources of an aggregate that its transformer gets; one of a query with more gets only the value. */
const transformerSourcesMax = 500

/** What the transformer of an aggregate gets of its sources. */
export function inputsOf(
  { transformer, sourceIds }: Pick<StateMeta, 'sourceIds' | 'transformer'>,
  read: () => readonly (TimedValue & { stateId: number })[],
): ComputedInput['values'] {
  if (transformer === null || sourceIds.length > transformerSourcesMax) return []
  return read().map((input) => ({ ...input, time: input.time.toISOString() }))
}
