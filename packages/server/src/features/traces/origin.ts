import type { Executor } from '../../platform/db/index.ts'
import type { Sight } from './sight.ts'
import {
  type ExecutionRow,
  findEarlier,
  findPacket,
  findSetting,
  lastValues,
  type Moment,
  type PacketRow,
  readExecution,
  readPacket,
  readSources,
  readStates,
  type StateRow,
} from './store.ts'

/** Something a trace passes on its way. */
export type Point =
  | { kind: 'packet'; packet: PacketRow }
  | { kind: 'value'; state: StateRow; time: Date }
  | { kind: 'execution'; execution: ExecutionRow }

/** Where a trace begins, and the way from there to what was asked about. */
export interface Origin {
  path: readonly [Point, ...Point[]]
  /** what was before is not known */
  lost: { what: 'packet' | 'value' | 'rule'; reason: 'unknown' | 'outside' } | null
  /** what was before is not for the caller */
  isHidden: boolean
}

export const keyOf = (point: Point): string => {
  if (point.kind === 'packet') return `packet:${point.packet.id}`
  if (point.kind === 'value') return valueKey({ stateId: point.state.id, time: point.time })
  return executionKey(point.execution.id)
}
export const valueKey = ({ stateId, time }: Moment): string => `value:${stateId}:${time.getTime()}`
export const executionKey = (id: number): string => `execution:${id}`

/** Steps back from what was asked about. */
const backMax = 24
/** Sources of a computed state of which the one that changed last is found. */
const sourcesMax = 200
/** A source of a computed value is not older. */
const sourceAgeMs = 24 * 3_600_000
/** A rule is woken by another within this time. */
const wakeMs = 15 * 60_000

type Before = Point | Origin['lost'] | 'hidden'

interface Tools {
  db: Executor
  sight: Sight
  payloadMax: number
}

/** Goes back from a point to where it came from. */
export async function originOf(tools: Tools, asked: Point): Promise<Origin> {
  const path: [Point, ...Point[]] = [asked]
  const passed = new Set([keyOf(asked)])
  for (let back = 0; back < backMax; back++) {
    const [first] = path
    if (first.kind === 'packet') return { path, lost: null, isHidden: false }
    const before =
      first.kind === 'value' ? await beforeValue(tools, first) : await beforeExecution(tools, first)
    if (before === 'hidden') return { path, lost: null, isHidden: true }
    if (before === null || !('kind' in before)) return { path, lost: before, isHidden: false }
    if (passed.has(keyOf(before))) return { path, lost: null, isHidden: false }
    passed.add(keyOf(before))
    path.unshift(before)
  }
  return { path, lost: { what: 'value', reason: 'unknown' }, isHidden: false }
}

async function beforeExecution(tools: Tools, { execution }: Point & { kind: 'execution' }): Promise<Before> {
  const { woken, cause, at, twinId } = execution
  if (cause?.kind === 'rule') {
    const period = { from: new Date(at.getTime() - wakeMs), until: at }
    const id = await findEarlier(tools.db, { ruleId: cause.ruleId, twinId }, period)
    return id === undefined ? { what: 'rule', reason: 'unknown' } : executionPoint(tools, id)
  }
  // The clock, a person, an alarm: the execution says so itself.
  if (cause !== null) return null
  const [value] = woken?.values ?? []
  if (value === undefined) return { what: 'value', reason: 'unknown' }
  const [stateId, ms] = value
  return valuePoint(tools, { stateId, time: new Date(ms) })
}

async function beforeValue(tools: Tools, { state, time }: Point & { kind: 'value' }): Promise<Before> {
  const { db } = tools
  if (state.source === 'connector') return packetOf(tools, state, time)
  const sources = await readSources(db, state.id, sourcesMax)
  if (sources.length > 0) {
    const values = await lastValues(db, sources, time, new Date(time.getTime() - sourceAgeMs))
    const [newest] = values.sort((a, b) => b.time.getTime() - a.time.getTime())
    return newest === undefined ? { what: 'value', reason: 'unknown' } : valuePoint(tools, newest)
  }
  const executionId = await findSetting(db, { stateId: state.id, time })
  if (executionId !== undefined) return executionPoint(tools, executionId)
  return { what: 'value', reason: state.source === 'datarouting' ? 'unknown' : 'outside' }
}

/** Values of a device have the time of their packet. */
async function packetOf(tools: Tools, state: StateRow, time: Date): Promise<Before> {
  const { db, sight, payloadMax } = tools
  const deviceId = state.twinCategory === 'virtualDevice' ? state.twinId : await sight.deviceAt(state)
  const found = deviceId === undefined ? undefined : await findPacket(db, deviceId, time)
  if (deviceId === undefined || found === undefined) return { what: 'packet', reason: 'unknown' }
  const packet = await readPacket(db, { deviceId, ...found }, payloadMax)
  if (packet === undefined) return { what: 'packet', reason: 'unknown' }
  return sight.seesDevice(packet) ? { kind: 'packet', packet } : 'hidden'
}

async function valuePoint({ db, sight }: Tools, { stateId, time }: Moment): Promise<Before> {
  const [state] = await readStates(db, [stateId])
  if (state === undefined) return { what: 'value', reason: 'unknown' }
  return sight.seesState(state) ? { kind: 'value', state, time } : 'hidden'
}

async function executionPoint({ db, sight }: Tools, id: number): Promise<Before> {
  const execution = await readExecution(db, id)
  if (execution === undefined) return { what: 'rule', reason: 'unknown' }
  return sight.seesRule(execution) ? { kind: 'execution', execution } : 'hidden'
}
