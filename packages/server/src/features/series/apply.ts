import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { ScriptEngine, ScriptInput } from '../../platform/scripts/types.ts'
import { combine, newest, type TimedValue } from './aggregate.ts'
import type { StateCatalog } from './catalog.ts'
import {
  insertValues,
  movePositions,
  readCurrent,
  type StateMeta,
  type TypedValue,
  updateCurrent,
} from './store.ts'
import { toColumns } from './values.ts'

/** A value for a state. */
export interface ValueInput {
  stateId: number
  value: JsonValue
  time: Date
}

/** A value that was stored. `isCurrent`: it is the newest of its state. */
export interface StoredValue extends ValueInput {
  twinId: number
  accountId: number
  key: string
  isCurrent: boolean
}

/** A value that could not be stored, with the reason. */
export interface RefusedValue extends ValueInput {
  code: ErrorCode
  message: string
}

export interface Applied {
  stored: StoredValue[]
  refused: RefusedValue[]
}

/** Aggregates of aggregates deeper than this are not followed; loops are refused when a state is saved. */
const depthMax = 20

interface Tools {
  catalog: StateCatalog
  scripts: ScriptEngine
}

/**
 * Stores values and everything that follows from them: current values where newer, states computed from them (and from
 * those), positions of twins whose states' keys start with lat or lon.
 *
 * Late values go into the history and never overwrite a current one. A state with a single source takes over every
 * value of it, late ones too; an aggregate of several is recomputed for each new current value in the order of time.
 * @param transform whether the transformer of the states given runs (those computed always run theirs)
 */
export async function applyValues(
  tx: Executor,
  tools: Tools,
  inputs: readonly (ValueInput | ComputedInput)[],
  transform: boolean,
): Promise<Applied> {
  const result: Applied = { stored: [], refused: [] }
  let wave: ValueInput[] = transform ? await transformValues(tx, tools, inputs, result) : [...inputs]
  for (let depth = 0; wave.length > 0 && depth < depthMax; depth++) {
    const metas = await tools.catalog.get(
      tx,
      wave.map(({ stateId }) => stateId),
    )
    const before = await currentBefore(tx, tools, metas)
    const stored = await storeWave(tx, metas, wave, depth > 0, result)
    result.stored.push(...stored)
    wave = await transformValues(tx, tools, await derive(tx, tools, metas, stored, before), result)
  }
  await move(tx, result.stored)
  return result
}

/** A computed value with what it was computed from, for its transformer. */
export interface ComputedInput extends ValueInput {
  values: { stateId: number; value: JsonValue; time: string }[]
}

/** Runs transformers, batched by state; a result of undefined drops the value. */
async function transformValues(
  tx: Executor,
  { catalog, scripts }: Tools,
  inputs: readonly (ValueInput | ComputedInput)[],
  result: Applied,
): Promise<ValueInput[]> {
  const metas = await catalog.get(
    tx,
    inputs.map(({ stateId }) => stateId),
  )
  const plain: ValueInput[] = []
  // States of the same account often share a script: one trip to the sandbox for all of them.
  const groups = new Map<string, { meta: StateMeta; input: ValueInput | ComputedInput }[]>()
  for (const input of inputs) {
    const meta = metas.get(input.stateId)
    if (meta?.transformer == null || meta.transformer.trim() === '') {
      plain.push(input)
      continue
    }
    const name = `${meta.accountId} ${meta.transformer}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [{ meta, input }])
    else group.push({ meta, input })
  }
  const transformed = await Promise.all([...groups.values()].map((group) => runTransformer(scripts, group)))
  for (const { values, refused } of transformed) {
    plain.push(...values)
    result.refused.push(...refused)
  }
  return plain
}

/** Runs one transformer over the values of all states that have it. */
async function runTransformer(
  scripts: ScriptEngine,
  group: readonly { meta: StateMeta; input: ValueInput | ComputedInput }[],
): Promise<{ values: ValueInput[]; refused: RefusedValue[] }> {
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
  const values: ValueInput[] = []
  const refused: RefusedValue[] = []
  for (const [index, answer] of answers.entries()) {
    const { stateId, value, time } = (group[index] as (typeof group)[number]).input
    if (answer.ok) {
      if (answer.value !== undefined) values.push({ stateId, value: answer.value as JsonValue, time })
    } else if (answer.error.code === 'SCRIPT_ENGINE_BUSY') {
      throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
    } else {
      refused.push({ stateId, value, time, code: answer.error.code, message: answer.error.message })
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
    ...('values' in input ? { values: input.values } : {}),
  }
}

/** Current values of everything that the aggregates of this wave are computed from, as they were before it. */
async function currentBefore(
  tx: Executor,
  { catalog }: Tools,
  metas: ReadonlyMap<number, StateMeta>,
): Promise<Map<number, TimedValue>> {
  const dependents = await catalog.get(
    tx,
    [...metas.values()].flatMap(({ dependentIds }) => dependentIds),
  )
  const sources = [...dependents.values()]
    .filter((meta) => !passesThrough(meta))
    .flatMap(({ sourceIds }) => sourceIds)
  return readCurrent(tx, [...new Set(sources)])
}

/** Checks types, stores the values, moves current values on. */
async function storeWave(
  tx: Executor,
  metas: ReadonlyMap<number, StateMeta>,
  wave: readonly ValueInput[],
  computed: boolean,
  result: Applied,
): Promise<StoredValue[]> {
  const typed: TypedValue[] = []
  const accepted: { input: ValueInput; meta: StateMeta }[] = []
  const latest = new Map<number, TypedValue>()
  for (const input of wave) {
    const meta = metas.get(input.stateId)
    if (meta === undefined) {
      result.refused.push({
        ...input,
        code: 'DTWIN_STATE_NOT_FOUND',
        message: `state ${input.stateId} is gone`,
      })
      continue
    }
    const columns = toColumns(input.value, meta.valueType)
    if (columns === null) {
      result.refused.push({
        ...input,
        code: 'VALUE_WRONG_TYPE',
        message: `${meta.key}: not a ${meta.valueType}`,
      })
      continue
    }
    const value = { stateId: input.stateId, time: input.time, columns }
    typed.push(value)
    accepted.push({ input, meta })
    const best = latest.get(input.stateId)
    if (best === undefined || best.time <= input.time) latest.set(input.stateId, value)
  }
  if (typed.length === 0) return []
  await insertValues(tx, newestPerTime(typed), computed)
  const advanced = await updateCurrent(tx, [...latest.values()], computed)
  return accepted.map(({ input, meta }) => ({
    ...input,
    twinId: meta.twinId,
    accountId: meta.accountId,
    key: meta.key,
    isCurrent: advanced.has(meta.id) && latest.get(meta.id)?.time.getTime() === input.time.getTime(),
  }))
}

/** One value per state and millisecond, the last: a statement cannot touch a row twice. */
function newestPerTime(values: readonly TypedValue[]): TypedValue[] {
  return [...new Map(values.map((value) => [`${value.stateId} ${value.time.getTime()}`, value])).values()]
}

function passesThrough(meta: StateMeta): boolean {
  return meta.sourceIds.length === 1 && ['latest', 'avg', 'min', 'max', 'sum', 'median'].includes(meta.method)
}

/** Values of the states that are computed from what was stored. */
async function derive(
  tx: Executor,
  { catalog }: Tools,
  metas: ReadonlyMap<number, StateMeta>,
  stored: readonly StoredValue[],
  before: ReadonlyMap<number, TimedValue>,
): Promise<(ValueInput | ComputedInput)[]> {
  const dependents = await catalog.get(
    tx,
    stored.flatMap(({ stateId }) => metas.get(stateId)?.dependentIds ?? []),
  )
  const derived: (ValueInput | ComputedInput)[] = []
  for (const dependent of dependents.values()) {
    const sources = new Set(dependent.sourceIds)
    const changes = stored.filter(({ stateId }) => sources.has(stateId))
    derived.push(
      ...(passesThrough(dependent)
        ? changes.map(({ value, time }) => ({ stateId: dependent.id, value, time }))
        : replay(dependent, changes, before)),
    )
  }
  return derived
}

/** Recomputes an aggregate for each change of a source in the order of time, starting from what was current before. */
function replay(
  aggregate: StateMeta,
  changes: readonly StoredValue[],
  before: ReadonlyMap<number, TimedValue>,
): ComputedInput[] {
  const current = new Map<number, TimedValue>()
  for (const id of aggregate.sourceIds) {
    const value = before.get(id)
    if (value !== undefined) current.set(id, value)
  }
  const byTime = new Map<number, ComputedInput>()
  for (const change of changes.toSorted((a, b) => a.time.getTime() - b.time.getTime())) {
    const known = current.get(change.stateId)
    if (known !== undefined && known.time >= change.time) continue
    current.set(change.stateId, change)
    // The aggregate is as new as its newest input, so that a slow source does not date it back.
    const time = newest([...current.values()])?.time ?? change.time
    const value = combine(aggregate.method, [...current.values()])
    if (value === null) continue
    const values = [...current].map(([stateId, input]) => ({
      stateId,
      value: input.value,
      time: input.time.toISOString(),
    }))
    byTime.set(time.getTime(), { stateId: aggregate.id, value, time, values })
  }
  return [...byTime.values()]
}

/** The value an aggregate has now, from current values of its sources; null when there is none. */
export function computeNow(
  aggregate: Pick<StateMeta, 'id' | 'method' | 'sourceIds'>,
  current: ReadonlyMap<number, TimedValue>,
): ComputedInput | null {
  const inputs = aggregate.sourceIds.flatMap((stateId) => {
    const input = current.get(stateId)
    return input === undefined ? [] : [{ stateId, ...input }]
  })
  const time = newest(inputs)?.time
  const value = combine(aggregate.method, inputs)
  if (time === undefined || value === null) return null
  return {
    stateId: aggregate.id,
    value,
    time,
    values: inputs.map((input) => ({ ...input, time: input.time.toISOString() })),
  }
}

const positionKey = /^(lat|lon)/i

/** Moves twins by their current states whose keys start with lat or lon, where the number is a degree. */
async function move(tx: Executor, stored: readonly StoredValue[]): Promise<void> {
  const moves = new Map<number, { twinId: number; latitude: number | null; longitude: number | null }>()
  for (const { twinId, key, value, isCurrent } of stored) {
    if (!isCurrent || typeof value !== 'number' || !positionKey.test(key)) continue
    const isLatitude = key.toLowerCase().startsWith('lat')
    if (Math.abs(value) > (isLatitude ? 90 : 180)) continue
    const known = moves.get(twinId) ?? { twinId, latitude: null, longitude: null }
    moves.set(twinId, isLatitude ? { ...known, latitude: value } : { ...known, longitude: value })
  }
  if (moves.size > 0) await movePositions(tx, [...moves.values()])
}
