import type { JsonValue } from '@leitstand/contract/common'
import type { Executor } from '../../../platform/db/index.ts'
import {
  type ComputedInput,
  depthMax,
  isPlain,
  isTakenAlong,
  passesThrough,
  type RefusedValue,
  type StoredValue,
  type Tools,
  type ValueInput,
} from '../apply.ts'
import type { StateMeta, TypedValue } from '../store.ts'
import { toColumns, type ValueRow } from '../values.ts'
import {
  deleteMoments,
  type Moment,
  nameOf,
  readMoments,
  renewCurrent,
  reopenDays,
  replaceValues,
  withoutSource,
} from './store.ts'

/** Dependencies of corrections. */
export interface CorrectionTools extends Tools {
  /** the time by the clock of the platform */
  now(): Date
  /** moves the twins whose position states have new current values */
  moveTwins(tx: Executor, stored: readonly StoredValue[]): Promise<void>
}

/** Corrections of past values. */
export interface Corrections {
  /** values after the transformers of their states (`transform` of the series) */
  set: readonly (ValueInput | ComputedInput)[]
  /** moments whose values are deleted, unless `set` has one for them */
  remove: readonly Moment[]
}

/** A period in which the sources of an aggregate were corrected. */
export interface Concerned {
  stateId: number
  start: Date
  end: Date
}

/** The result of a correction. */
export interface Corrected {
  added: number
  changed: number
  deleted: number
  /** values that were not stored, with the reason; the previous value is deleted */
  refused: RefusedValue[]
  /** twins with a new current value */
  twinIds: Set<number>
  /** states with several sources or a transformer, to be recomputed for their period */
  aggregates: Concerned[]
  /**
   * states that look back on a corrected source, or whose sources come and go; their current value is computed again, and
   * their history stays as it is
   */
  again: Set<number>
}

/** Called for every moment whose value was added, changed or deleted, in the transaction. */
export type NoteMoments = (tx: Executor, moments: readonly Moment[]) => Promise<void>

/**
 * Corrects past values and everything derived from them: current values, states that copy a single source,
 * positions. The values do not count as new: no event is appended and no rule is triggered.
 */
export async function correctValues(
  tx: Executor,
  tools: CorrectionTools,
  corrections: Corrections,
  note: NoteMoments,
): Promise<Corrected> {
  const result: Corrected = {
    added: 0,
    changed: 0,
    deleted: 0,
    refused: [],
    twinIds: new Set(),
    aggregates: [],
    again: new Set(),
  }
  const touched = new Map<number, Moment>()
  const metas = new Map<number, StateMeta>()
  let wave = corrections
  for (let depth = 0; depth < depthMax && wave.set.length + wave.remove.length > 0; depth++) {
    const known = await tools.catalog.get(
      tx,
      [...wave.set, ...wave.remove].map(({ stateId }) => stateId),
    )
    for (const [id, meta] of known) metas.set(id, meta)
    const { stored, gone } = await writeWave(tx, known, wave, tools.now(), result)
    const moments = [...stored, ...gone]
    await note(tx, moments)
    for (const moment of moments) {
      const newest = touched.get(moment.stateId)
      if (newest === undefined || newest.time < moment.time) touched.set(moment.stateId, moment)
    }
    wave = await follow(tx, tools, known, stored, gone, result)
  }
  await renew(tx, tools, metas, [...touched.values()], result)
  return result
}

interface Stored extends Moment {
  value: JsonValue
}

/** Writes values that differ and deletes those without a replacement. */
async function writeWave(
  tx: Executor,
  metas: ReadonlyMap<number, StateMeta>,
  { set, remove }: Corrections,
  now: Date,
  result: Corrected,
): Promise<{ stored: Stored[]; gone: Moment[] }> {
  const wanted = new Map<string, { typed: TypedValue; value: JsonValue }>()
  for (const input of set) {
    const meta = metas.get(input.stateId)
    if (meta === undefined) continue // The state has been deleted with its values.
    const columns = toColumns(input.value, meta.valueType)
    if (columns === null) {
      const message = `${meta.key}: not a ${meta.valueType}`
      result.refused.push({ ...input, code: 'VALUE_WRONG_TYPE', message })
      continue
    }
    const typed = { stateId: input.stateId, time: input.time, columns }
    wanted.set(nameOf(input), { typed, value: input.value })
  }
  const leaving = [...set, ...remove].filter((moment) => !wanted.has(nameOf(moment)))
  const unique = new Map(leaving.map(({ stateId, time }) => [nameOf({ stateId, time }), { stateId, time }]))
  const concerned = [...[...wanted.values()].map(({ typed }) => typed), ...unique.values()]
  await reopenDays(tx, concerned, now)
  const before = await readMoments(tx, concerned)
  const differing = [...wanted].filter(([name, { typed }]) => !same(before.get(name), typed))
  await replaceValues(
    tx,
    differing.map(([, { typed }]) => typed),
  )
  const gone = [...unique].filter(([name]) => before.has(name)).map(([, moment]) => moment)
  await deleteMoments(tx, gone)
  const changed = differing.filter(([name]) => before.has(name)).length
  result.changed += changed
  result.added += differing.length - changed
  result.deleted += gone.length
  const stored = differing.map(([, { typed, value }]) => ({
    stateId: typed.stateId,
    time: typed.time,
    value,
  }))
  return { stored, gone }
}

function same(row: ValueRow | undefined, { columns }: TypedValue): boolean {
  if (row === undefined) return false
  const { num, txt, bool, json } = columns
  if (row.num !== num || row.txt !== txt || row.bool !== bool) return false
  return canonical(row.json) === canonical(json === null ? null : JSON.parse(json))
}

/** JSON with sorted object keys, because the database does not preserve their order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

/** The corrections needed in the states that are computed from the written ones. */
async function follow(
  tx: Executor,
  { catalog }: Tools,
  metas: ReadonlyMap<number, StateMeta>,
  stored: readonly Stored[],
  gone: readonly Moment[],
  result: Corrected,
): Promise<Corrections> {
  const dependentsOf = ({ stateId }: Moment) => metas.get(stateId)?.dependentIds ?? []
  const dependents = await catalog.get(tx, [...stored, ...gone].flatMap(dependentsOf))
  const set: ValueInput[] = []
  const remove: Moment[] = []
  const bare: Moment[] = []
  const stretches = new Map(result.aggregates.map((each) => [each.stateId, each]))
  const concern = ({ id }: StateMeta, time: Date) => {
    const known = stretches.get(id)
    const start = known !== undefined && known.start < time ? known.start : time
    const end = known !== undefined && known.end > time ? known.end : time
    stretches.set(id, { stateId: id, start, end })
  }
  const metasOf = (moment: Moment) => dependentsOf(moment).flatMap((id) => dependents.get(id) ?? [])
  for (const { time, value, ...moment } of stored) {
    for (const dependent of metasOf({ ...moment, time })) {
      if (!isPlain(dependent)) result.again.add(dependent.id)
      else if (isTakenAlong(dependent)) set.push({ stateId: dependent.id, value, time })
      else concern(dependent, time)
    }
  }
  for (const moment of gone) {
    for (const dependent of metasOf(moment)) {
      const own = { stateId: dependent.id, time: moment.time }
      if (!isPlain(dependent)) result.again.add(dependent.id)
      else if (passesThrough(dependent)) remove.push(own)
      else {
        concern(dependent, moment.time)
        bare.push(own)
      }
    }
  }
  result.aggregates = [...stretches.values()]
  remove.push(...(await withoutSource(tx, bare)))
  return { set, remove }
}

async function renew(
  tx: Executor,
  tools: CorrectionTools,
  metas: ReadonlyMap<number, StateMeta>,
  touched: readonly Moment[],
  result: Corrected,
): Promise<void> {
  const renewed = await renewCurrent(tx, touched)
  const stored = renewed.flatMap(({ stateId, time, value }) => {
    const meta = metas.get(stateId)
    if (meta === undefined) return []
    result.twinIds.add(meta.twinId)
    const { twinId, accountId, key, axis, hasLevel } = meta
    if (value === null) return []
    const source = { kind: 'unknown' } as const
    const of = { stateId, twinId, accountId, key, axis, hasLevel }
    return [{ ...of, time, value, source, isCurrent: true, wasNewest: true }]
  })
  await tools.moveTwins(tx, stored)
}
