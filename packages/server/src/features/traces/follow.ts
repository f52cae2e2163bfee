import type { JsonValue } from '@leitstand/contract/common'
import type { MailOutcome } from '@leitstand/contract/rules'
import { type TraceStep, traceLimits } from '@leitstand/contract/traces'
import type { Executor } from '../../platform/db/index.ts'
import { type Outcomes, type RecordedAction, toAction } from '../rules/index.ts'
import { Chain, receptionOf, wokenBy } from './chain.ts'
import { executionKey, keyOf, type Origin, type Point, valueKey } from './origin.ts'
import type { Sight } from './sight.ts'
import {
  type AlarmRow,
  type ExecutionRow,
  firstValues,
  type PacketRow,
  type Period,
  readAlarmsOf,
  readDependents,
  readFed,
  readPlaces,
  readReminders,
  readStarted,
  readStates,
  readWoken,
  readWokenByRules,
  readWokenRules,
  type StateRow,
} from './store.ts'

/** A computed value follows within this time. */
const computedMs = 10 * 60_000
/** A rule is evaluated within this time after its value was stored. */
const wakeMs = 15 * 60_000
/** The clocks of the database and of this process may differ. */
const skewMs = 60_000
/** States a packet is for, and executions that are looked at after one round of values. */
const fedMax = 500
const executionsMax = 1_000

/** What was asked about. */
export interface Asked {
  key?: string
  mailId?: number
}

export interface FollowTools {
  db: Executor
  sight: Sight
  now: Date
  /** The title of a state for the reader. */
  titleOf(state: StateRow): string
  outcomesOf(actions: readonly RecordedAction[], mayRead: readonly number[]): Promise<Outcomes>
}

/** A value whose consequences are looked for. */
interface ValueNode {
  key: string
  state: StateRow
  time: Date
  /** it was not stored before */
  since: Date
  isLate: boolean
}

interface ExecutionNode {
  key: string
  execution: ExecutionRow
}

/** What follows next: the consequences of values and executions of the round before. */
interface Wave {
  values: ValueNode[]
  executions: ExecutionNode[]
}

type Known = TraceStep['known']
type StepOf<K extends TraceStep['kind']> = Extract<TraceStep, { kind: K }>

/** Follows a chain from where it begins, one round of values and executions after the other. */
export async function follow(
  tools: FollowTools,
  origin: Origin,
  lost: StepOf<'lost'>['reason'] | null,
  asked: Asked,
): Promise<{ steps: TraceStep[]; cut: boolean }> {
  return new Follower(tools, origin, asked).run(lost)
}

class Follower {
  readonly #tools: FollowTools
  readonly #origin: Origin
  readonly #asked: Asked
  readonly #chain = new Chain()
  /** the next point on the way to what was asked about, by the point before */
  readonly #next: ReadonlyMap<string, Point>

  constructor(tools: FollowTools, origin: Origin, asked: Asked) {
    this.#tools = tools
    this.#origin = origin
    this.#asked = asked
    this.#next = new Map(
      origin.path.slice(1).map((point, index) => [keyOf(origin.path[index] as Point), point]),
    )
  }

  async run(lost: StepOf<'lost'>['reason'] | null): Promise<{ steps: TraceStep[]; cut: boolean }> {
    const { path, lost: gone, isHidden } = this.#origin
    const after = this.#before(gone?.what ?? null, lost, isHidden)
    const [first] = path
    let wave: Wave = { values: [], executions: [] }
    if (first.kind === 'packet') await this.#packet(first.packet, after, wave)
    else if (first.kind === 'execution') this.#execution(first.execution, after, 'recorded', null, wave)
    else {
      const { state, time } = first
      const [value] = await firstValues(this.#tools.db, [{ stateId: state.id, from: time, until: time }])
      this.#value({ state, time, value: value?.value ?? null, isStored: value !== undefined }, after, wave, {
        known: 'recorded',
        from: null,
        since: time,
        isLate: false,
      })
    }
    for (let depth = 1; wave.values.length + wave.executions.length > 0; depth++) {
      if (depth >= traceLimits.depthMax) {
        this.#chain.cutHere()
        break
      }
      const next: Wave = { values: [], executions: [] }
      await this.#afterValues(wave.values, next)
      await this.#afterExecutions(wave.executions, next)
      wave = next
    }
    return this.#chain.result()
  }

  /** A step that says why nothing is known of what was before. @returns its key */
  #before(
    what: StepOf<'lost'>['what'] | null,
    reason: StepOf<'lost'>['reason'] | null,
    isHidden: boolean,
  ): string | null {
    const fields = {
      key: 'before',
      after: null,
      at: null,
      lagMs: null,
      known: 'recorded',
      isAsked: false,
    } as const
    if (isHidden) this.#chain.add({ kind: 'hidden', ...fields, count: 1 })
    else if (what !== null && reason !== null) this.#chain.add({ kind: 'lost', ...fields, what, reason })
    else return null
    return 'before'
  }

  #fields(key: string, after: string | null, at: Date | null, known: Known, from: Date | null) {
    return {
      key,
      after,
      at: at?.toISOString() ?? null,
      lagMs: at === null || from === null ? null : at.getTime() - from.getTime(),
      known,
      isAsked: key === this.#asked.key,
    }
  }

  #isWanted(after: string | null, key: string): boolean {
    const next = after === null ? undefined : this.#next.get(after)
    return key === this.#asked.key || (next !== undefined && keyOf(next) === key)
  }

  async #packet(packet: PacketRow, after: string | null, wave: Wave): Promise<void> {
    const { db, sight } = this.#tools
    const key = `packet:${packet.id}`
    const { connector } = packet
    this.#chain.add({
      kind: 'packet',
      ...this.#fields(key, after, packet.receivedAt, 'recorded', packet.time),
      packetId: packet.id,
      deviceId: packet.deviceId,
      deviceTitle: packet.deviceTitle,
      connector: connector && {
        id: packet.connectorId,
        name: connector.name,
        kind: connector.kind,
        mayOpen: sight.opensConnector(connector),
      },
      sentAt: packet.time.toISOString(),
      fPort: packet.fPort,
      fCnt: packet.fCnt,
      payload: packet.payload,
      length: packet.length,
      encoding: packet.encoding,
      ...receptionOf(packet.meta),
      isLate: packet.isLate,
    })
    const variables = packet.variables ?? {}
    const fed = await readFed(db, packet, fedMax)
    const time = { from: packet.time, until: packet.time }
    const values = new Map(
      (
        await firstValues(
          db,
          fed.map(({ id }) => ({ stateId: id, ...time })),
        )
      ).map((row) => [row.stateId, row]),
    )
    const known = new Map(fed.map(({ id, variable }) => [variable, values.has(id)]))
    const decodeKey = `decode:${packet.id}`
    this.#chain.add({
      kind: 'decode',
      ...this.#fields(decodeKey, key, packet.receivedAt, 'recorded', null),
      driver: packet.driver,
      error: packet.error,
      durationUs: packet.durationUs,
      variables: Object.entries(variables)
        .slice(0, traceLimits.perStepMax)
        .map(([name, value]) => ({
          key: name,
          value,
          outcome: !known.has(name) ? 'unused' : known.get(name) ? 'stored' : 'unstored',
        })),
    })
    const states = new Map((await readStates(db, [...values.keys()])).map((state) => [state.id, state]))
    for (const { id } of fed) {
      const [state, row] = [states.get(id), values.get(id)]
      if (state === undefined || row === undefined) continue
      this.#value({ state, time: row.time, value: row.value, isStored: true }, decodeKey, wave, {
        known: 'sameTime',
        from: null,
        since: packet.receivedAt,
        isLate: packet.isLate,
      })
    }
    await this.#forced(decodeKey, key, wave, packet.receivedAt, packet.isLate)
  }

  /** Adds the point on the way to what was asked about, if it was not found by following. */
  async #forced(after: string, point: string, wave: Wave, since: Date, isLate: boolean): Promise<void> {
    const next = this.#next.get(point)
    if (next === undefined || this.#chain.has(keyOf(next))) return
    if (next.kind === 'execution') this.#execution(next.execution, after, 'soon', since, wave)
    if (next.kind !== 'value') return
    const { state, time } = next
    const [value] = await firstValues(this.#tools.db, [{ stateId: state.id, from: time, until: time }])
    const found = { state, time, value: value?.value ?? null, isStored: value !== undefined }
    this.#value(found, after, wave, { known: 'next', from: null, since, isLate })
  }

  /** A value, if the caller may see it. */
  #value(
    found: { state: StateRow; time: Date | null; value: JsonValue; isStored: boolean },
    after: string | null,
    wave: Wave,
    how: { known: Known; from: Date | null; since: Date; isLate: boolean },
  ): void {
    const { state, time, value, isStored } = found
    const key = time === null ? `none:${after}:${state.id}` : valueKey({ stateId: state.id, time })
    if (this.#chain.has(key)) return
    if (!this.#tools.sight.seesState(state)) {
      if (after !== null) this.#chain.hide(after)
      return
    }
    const isNew = this.#chain.add(
      {
        kind: 'value',
        ...this.#fields(key, after, time, how.known, how.from),
        stateId: state.id,
        title: this.#tools.titleOf(state),
        stateKey: state.key,
        unit: state.unit,
        twinId: state.twinId,
        twinTitle: state.twinTitle,
        twinCategory: state.twinCategory,
        source: state.source,
        value,
        isStored,
      },
      this.#isWanted(after, key),
    )
    if (isNew && time !== null && isStored)
      wave.values.push({ key, state, time, since: how.since, isLate: how.isLate })
  }

  #execution(
    execution: ExecutionRow,
    after: string | null,
    known: Known,
    from: Date | null,
    wave: Wave,
  ): void {
    const key = executionKey(execution.id)
    if (this.#chain.has(key)) return
    if (!this.#tools.sight.seesRule(execution)) {
      if (after !== null) this.#chain.hide(after)
      return
    }
    const { id, ruleId, ruleTitle, twinId, twinTitle, at, result, inputs, branch, error, durationUs } =
      execution
    const isNew = this.#chain.add(
      {
        kind: 'execution',
        ...this.#fields(key, after, at, known, from),
        execution: {
          id,
          ruleId,
          ruleTitle,
          dtwinId: twinId,
          twinTitle,
          at: at.toISOString(),
          cause: execution.cause ?? { kind: 'values' },
          result,
          inputs,
          branch,
          error,
          durationUs,
        },
      },
      this.#isWanted(after, key),
    )
    if (isNew) wave.executions.push({ key, execution })
  }

  async #afterValues(nodes: readonly ValueNode[], wave: Wave): Promise<void> {
    if (nodes.length === 0) return
    await this.#computed(nodes, wave)
    await this.#rules(nodes, wave)
    for (const { key, since, isLate } of nodes) await this.#forced(key, key, wave, since, isLate)
  }

  /** The states that are computed from these. */
  async #computed(nodes: readonly ValueNode[], wave: Wave): Promise<void> {
    const { db } = this.#tools
    const byState = new Map(nodes.map((node) => [node.state.id, node]))
    const links = await readDependents(db, [...byState.keys()], traceLimits.perStepMax + 1)
    // A state of several of these follows from the one that is the newest.
    const newest = new Map<number, ValueNode>()
    for (const { sourceId, stateId } of links) {
      const node = byState.get(sourceId) as ValueNode
      const known = newest.get(stateId)
      if (known === undefined || known.time < node.time) newest.set(stateId, node)
    }
    const wanted = [...newest].map(([stateId, { time }]) => ({
      stateId,
      from: time,
      until: new Date(time.getTime() + computedMs),
    }))
    const values = new Map((await firstValues(db, wanted)).map((row) => [row.stateId, row]))
    for (const state of await readStates(db, [...newest.keys()])) {
      const node = newest.get(state.id) as ValueNode
      const row = values.get(state.id)
      const isSame = row?.time.getTime() === node.time.getTime()
      const found = { state, time: row?.time ?? null, value: row?.value ?? null, isStored: row !== undefined }
      this.#value(found, node.key, wave, {
        known: isSame ? 'sameTime' : 'next',
        from: node.time,
        since: node.since,
        isLate: node.isLate,
      })
    }
  }

  /** The rules that these wake. */
  async #rules(nodes: readonly ValueNode[], wave: Wave): Promise<void> {
    const { db, sight, now } = this.#tools
    const byState = new Map(nodes.map((node) => [node.state.id, node]))
    const woken = await readWokenRules(db, [...byState.keys()], traceLimits.perStepMax + 1)
    if (woken.length === 0) return
    const moments = nodes.map(({ state, time }) => ({ stateId: state.id, time }))
    const period = periodOf(nodes.map(({ since }) => since))
    const executions = await readWoken(db, woken, period, moments, executionsMax)
    if (executions.length === executionsMax) this.#chain.cutHere()
    const evaluated = new Set<string>()
    for (const execution of executions) {
      const wakes = new Set(
        woken.filter(({ ruleId }) => ruleId === execution.ruleId).map(({ stateId }) => stateId),
      )
      for (const node of nodes) {
        const { state, time, since } = node
        const known = wokenBy(execution, { stateId: state.id, time, since })
        if (known === null || (known === 'soon' && !wakes.has(state.id))) continue
        evaluated.add(`${execution.ruleId}:${execution.twinId}`)
        this.#execution(execution, node.key, known, since, wave)
        break
      }
    }
    const silent = woken.flatMap(({ stateId, ruleId, twinId }) =>
      twinId === null || evaluated.has(`${ruleId}:${twinId}`) ? [] : [{ stateId, ruleId, twinId }],
    )
    const stateOf = new Map(silent.map(({ stateId, ruleId, twinId }) => [`${ruleId}:${twinId}`, stateId]))
    for (const place of await readPlaces(db, silent, now)) {
      const node = byState.get(stateOf.get(`${place.ruleId}:${place.twinId}`) as number) as ValueNode
      if (!sight.seesRule(place)) {
        this.#chain.hide(node.key)
        continue
      }
      const { ruleId, ruleTitle, twinId, twinTitle, twinCategory, isOff, lastEvaluatedAt } = place
      const key = `unrecorded:${ruleId}:${twinId}:${node.key}`
      this.#chain.add({
        kind: 'unrecorded',
        ...this.#fields(key, node.key, null, 'recorded', null),
        ruleId,
        ruleTitle,
        twinId,
        twinTitle,
        twinCategory,
        isOff,
        isLate: node.isLate,
        lastEvaluatedAt: lastEvaluatedAt?.toISOString() ?? null,
      })
    }
  }

  async #afterExecutions(nodes: readonly ExecutionNode[], wave: Wave): Promise<void> {
    if (nodes.length === 0) return
    const { sight, outcomesOf } = this.#tools
    const outcomes = await outcomesOf(
      nodes.flatMap(({ execution }) => execution.actions),
      sight.mailAccounts,
    )
    for (const { key, execution } of nodes) {
      for (const [index, action] of execution.actions.entries()) {
        const { mailId } = this.#asked
        const fields = this.#fields(`${key}:${index}`, key, execution.at, 'recorded', null)
        const isAsked = mailId !== undefined && mailsOf(action).includes(mailId)
        this.#chain.add(
          {
            kind: 'action',
            ...fields,
            isAsked: fields.isAsked || isAsked,
            action: toAction(action, outcomes),
            mayReadMails: mailsOf(action).length > 0 && sight.mailAccounts.includes(execution.accountId),
          },
          isAsked,
        )
      }
    }
    await this.#setValues(nodes, wave)
    await this.#alarms(nodes)
    await this.#started(nodes, wave)
    for (const { key, execution } of nodes) await this.#forced(key, key, wave, execution.at, false)
  }

  /** The values that executions have set, or had computed. */
  async #setValues(nodes: readonly ExecutionNode[], wave: Wave): Promise<void> {
    const { db } = this.#tools
    const set = nodes.flatMap(({ key, execution: { at, actions } }) =>
      actions.flatMap(({ kind, ok, stateId }, index) => {
        if (!ok || stateId === undefined) return []
        const isSet = kind === 'set-state'
        const until = isSet ? at : new Date(at.getTime() + computedMs)
        return [
          {
            after: `${key}:${index}`,
            at,
            isSet,
            stateId,
            from: isSet ? at : new Date(at.getTime() - skewMs),
            until,
          },
        ]
      }),
    )
    const states = new Map(
      (
        await readStates(
          db,
          set.map(({ stateId }) => stateId),
        )
      ).map((row) => [row.id, row]),
    )
    for (const each of set) {
      const state = states.get(each.stateId)
      if (state === undefined) continue
      const [row] = await firstValues(db, [each])
      const found = { state, time: row?.time ?? null, value: row?.value ?? null, isStored: row !== undefined }
      const known = each.isSet ? 'recorded' : 'next'
      this.#value(found, each.after, wave, { known, from: null, since: each.at, isLate: false })
    }
  }

  async #alarms(nodes: readonly ExecutionNode[]): Promise<void> {
    const { db, sight, outcomesOf } = this.#tools
    const executions = nodes.map(({ execution }) => execution)
    const alarms = await readAlarmsOf(db, executions, traceLimits.perStepMax)
    if (alarms.length === 0) return
    const reminders = await readReminders(db, alarms, traceLimits.perStepMax)
    const asActions = reminders.map(
      ({ id, recipients }): RecordedAction => ({
        kind: 'email',
        ok: true,
        detail: '',
        mails: [{ to: recipients, mailId: id }],
      }),
    )
    const outcomes = await outcomesOf(asActions, sight.mailAccounts)
    for (const { key, execution } of nodes) {
      for (const alarm of alarms.filter((each) => isOf(each, execution))) {
        const isResolved = alarm.resolvedAt?.getTime() === execution.at.getTime()
        const action = execution.actions.findIndex(
          ({ kind }) => kind === (isResolved ? 'resolve-alarm' : 'alarm'),
        )
        const after = action < 0 ? key : `${key}:${action}`
        const alarmKey = `alarm:${alarm.id}${isResolved ? ':resolved' : ''}`
        const { id: alarmId, twinId, twinTitle, twinCategory, severity, message } = alarm
        this.#chain.add(
          {
            kind: 'alarm',
            ...this.#fields(alarmKey, after, execution.at, 'recorded', null),
            alarmId,
            twinId,
            twinTitle,
            twinCategory,
            severity,
            message,
            isResolved,
          },
          alarmKey === this.#asked.key,
        )
        if (isResolved) continue
        for (const [index, reminder] of reminders.entries()) {
          if (reminder.alarmId !== alarm.id) continue
          const { id, createdAt } = reminder
          const fields = this.#fields(`reminder:${id}`, alarmKey, createdAt, 'recorded', alarm.raisedAt)
          const isAsked = id === this.#asked.mailId
          const mails: MailOutcome[] = toAction(asActions[index] as RecordedAction, outcomes).mails ?? []
          this.#chain.add({ kind: 'reminder', ...fields, isAsked, mails }, isAsked)
        }
      }
    }
  }

  /** The rules that these have woken or started. */
  async #started(nodes: readonly ExecutionNode[], wave: Wave): Promise<void> {
    const { db } = this.#tools
    const byIds = nodes.map(({ execution }) => execution.ruleId)
    const ruleIds = await readStarted(db, byIds, traceLimits.perStepMax)
    const period = periodOf(nodes.map(({ execution }) => execution.at))
    const started = await readWokenByRules(db, ruleIds, period, byIds, executionsMax)
    const taken = new Set<string>()
    for (const { key, execution } of nodes) {
      for (const each of started) {
        const isOf = each.cause?.kind === 'rule' && each.cause.ruleId === execution.ruleId
        const place = `${key} ${each.ruleId}:${each.twinId}`
        if (!isOf || each.at.getTime() < execution.at.getTime() - skewMs || taken.has(place)) continue
        taken.add(place)
        this.#execution(each, key, 'soon', execution.at, wave)
      }
    }
  }
}

function periodOf(since: readonly Date[]): Period {
  const times = since.map((each) => each.getTime())
  return { from: new Date(Math.min(...times) - skewMs), until: new Date(Math.max(...times) + wakeMs) }
}

function mailsOf({ mails = [] }: RecordedAction): number[] {
  return mails.flatMap((mail) => ('mailId' in mail ? [mail.mailId] : []))
}

function isOf({ ruleId, twinId, raisedAt, resolvedAt }: AlarmRow, execution: ExecutionRow): boolean {
  const at = execution.at.getTime()
  const isThen = raisedAt.getTime() === at || resolvedAt?.getTime() === at
  return ruleId === execution.ruleId && twinId === execution.twinId && isThen
}
