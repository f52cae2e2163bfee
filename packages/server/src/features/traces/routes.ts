import { retentionMonthsDefault } from '@leitstand/contract/accounts'
import { normaliseExternalId } from '@leitstand/contract/identifiers'
import { type Trace, type TraceStep, traceLimits } from '@leitstand/contract/traces'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { titleFor } from '../drivers/index.ts'
import { letterLimits } from '../letters/index.ts'
import { executionsKept, executionsKeptEach, type RulesFeature } from '../rules/index.ts'
import { type Asked, follow } from './follow.ts'
import { executionKey, keyOf, originOf, type Point } from './origin.ts'
import { type Sight, sightOf } from './sight.ts'
import {
  type AlarmRow,
  type ConnectorRow,
  findDeviceAt,
  findExecution,
  findRaising,
  findWriting,
  firstValues,
  type LetterRow,
  type MailRow,
  type PacketRow,
  readAlarm,
  readConnector,
  readExecution,
  readLetter,
  readMail,
  readMonths,
  readPacket,
  readStates,
} from './store.ts'

/** Keys of packets are kept for today and the day before. */
const duplicateDays = 2

/** A letter, and what it said: that finds its packet when it is gone. */
interface LetterAsked {
  connectorId: number
  letterId: number
  receivedAt?: string | undefined
  identifier?: string | undefined
}

/** From a packet to everything that followed, and back. */
export function traceRoutes({ db, clock }: Context, rules: Pick<RulesFeature, 'outcomesOf' | 'writeQuiet'>) {
  /** How long what happened in an account is kept. */
  async function keptOf(accountId: number, now: Date): Promise<Trace['kept']> {
    const months = (await readMonths(db, accountId)) ?? retentionMonthsDefault
    const since = new Date(now)
    since.setUTCMonth(since.getUTCMonth() - months)
    return {
      months,
      since: since.toISOString(),
      accountId,
      executionsPerRule: executionsKept,
      executionsPerTwin: executionsKeptEach,
      lettersPerConnector: letterLimits.perConnectorMax,
      duplicateDays,
    }
  }

  async function traceOf(caller: Caller, sight: Sight, point: Point, asked: Asked): Promise<Trace> {
    const now = clock.now()
    await rules.writeQuiet()
    const origin = await originOf({ db, sight, payloadMax: traceLimits.payloadMax }, point)
    const kept = await keptOf(accountOf(point), now)
    const isOld = timeOf(origin.path[0]) < new Date(kept.since)
    const reason = origin.lost && (isOld && origin.lost.reason === 'unknown' ? 'unkept' : origin.lost.reason)
    const tools = {
      db,
      sight,
      now,
      titleOf: (state: { key: string; title: string }) => titleFor(caller, state),
      outcomesOf: rules.outcomesOf,
    }
    return { ...(await follow(tools, origin, reason, asked)), kept }
  }

  /**
   * A message that could not be used. One that was processed again since is gone, and its packet has the time at which the
   * message was received.
   */
  async function ofLetter(caller: Caller, asked: LetterAsked): Promise<Trace> {
    const sight = await sightOf(db, caller)
    const connector = await readConnector(db, asked.connectorId)
    if (connector === undefined || !sight.opensConnector(connector)) throw new AppError('TRACE_NOT_FOUND')
    const letter = await readLetter(db, asked)
    if (letter !== undefined) {
      const kept = await keptOf(connector.accountId, clock.now())
      return { steps: [letterStep(asked.letterId, connector, letter)], cut: false, kept }
    }
    const { receivedAt, identifier } = asked
    if (receivedAt === undefined || identifier === undefined) throw new AppError('TRACE_NOT_FOUND')
    const found = { receivedAt: new Date(receivedAt), identifier }
    const packet = await laterPacket(sight, connector.id, found)
    if (packet === undefined) throw new AppError('TRACE_NOT_FOUND')
    const first = letterStep(asked.letterId, connector, found)
    const trace = await traceOf(caller, sight, { kind: 'packet', packet }, {})
    const steps = trace.steps.map(
      (step): TraceStep => (step.after === null ? { ...step, after: first.key, known: 'sameTime' } : step),
    )
    return { ...trace, steps: [first, ...steps] }
  }

  /** The packet of a message that was processed again, on the device that has its identifier now. */
  async function laterPacket(
    sight: Sight,
    connectorId: number,
    { receivedAt, identifier }: { receivedAt: Date; identifier: string },
  ): Promise<PacketRow | undefined> {
    const deviceId = await findDeviceAt(db, { connectorId, identifier: normaliseExternalId(identifier) })
    if (deviceId === undefined) return undefined
    const packet = await readPacket(db, { deviceId, receivedAt, id: null }, traceLimits.payloadMax)
    const isOf = packet !== undefined && packet.connectorId === connectorId && sight.seesDevice(packet)
    return isOf ? packet : undefined
  }

  async function ofExecution(caller: Caller, id: number | undefined, asked: Asked = {}): Promise<Trace> {
    const sight = await sightOf(db, caller)
    const execution = id === undefined ? undefined : await readExecution(db, id)
    if (execution === undefined || !sight.seesRule(execution)) throw new AppError('TRACE_NOT_FOUND')
    const key =
      asked.mailId === undefined && asked.key === undefined ? { key: executionKey(execution.id) } : asked
    return traceOf(caller, sight, { kind: 'execution', execution }, key)
  }

  /** The execution that raised an alarm; undefined also if the alarm is not one of a rule. */
  const raisingOf = async ({ ruleId, twinId, raisedAt }: AlarmRow) =>
    ruleId === null ? undefined : findRaising(db, { ruleId, twinId, raisedAt })

  async function writingOf({ id: mailId, createdAt: at, origin }: MailRow): Promise<number | undefined> {
    const { ruleId, twinId, eventId, alarmId } = origin
    if (ruleId === undefined) return undefined
    if (alarmId !== undefined) {
      const alarm = await readAlarm(db, alarmId)
      return alarm && raisingOf(alarm)
    }
    if (twinId !== undefined && eventId !== undefined) return findExecution(db, { ruleId, twinId, eventId })
    return findWriting(db, { mailId, ruleId, at })
  }

  return {
    letter: os.trace.letter.handler(({ input, context: { caller } }) => ofLetter(caller, input)),
    packet: os.trace.packet.handler(async ({ input, context: { caller } }) => {
      const { deviceId, packetId: id, receivedAt } = input
      const sight = await sightOf(db, caller)
      const wanted = { deviceId, id, receivedAt: new Date(receivedAt) }
      const packet = await readPacket(db, wanted, traceLimits.payloadMax)
      if (packet === undefined || !sight.seesDevice(packet)) throw new AppError('TRACE_NOT_FOUND')
      const point: Point = { kind: 'packet', packet }
      return traceOf(caller, sight, point, { key: keyOf(point) })
    }),
    value: os.trace.value.handler(async ({ input, context: { caller } }) => {
      const { stateId } = input
      const sight = await sightOf(db, caller)
      const [state] = await readStates(db, [stateId])
      if (state === undefined || !sight.seesState(state))
        throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId })
      const time = new Date(input.at)
      const [value] = await firstValues(db, [{ stateId, from: time, until: time }])
      if (value === undefined) throw new AppError('DTWIN_STATE_VALUE_NOT_FOUND')
      const point: Point = { kind: 'value', state, time }
      return traceOf(caller, sight, point, { key: keyOf(point) })
    }),
    execution: os.trace.execution.handler(({ input: { id }, context: { caller } }) =>
      ofExecution(caller, id),
    ),
    mail: os.trace.mail.handler(async ({ input: { id }, context: { caller } }) => {
      const mail = await readMail(db, id)
      return ofExecution(caller, mail && (await writingOf(mail)), { mailId: id })
    }),
    alarm: os.trace.alarm.handler(async ({ input: { id }, context: { caller } }) => {
      const alarm = await readAlarm(db, id)
      return ofExecution(caller, alarm && (await raisingOf(alarm)), { key: `alarm:${id}` })
    }),
  }
}

/** @param letter without a reason: it was processed again, or deleted */
function letterStep(
  letterId: number,
  { id, accountId, name, kind }: ConnectorRow,
  letter: Pick<LetterRow, 'receivedAt' | 'identifier'> & Partial<LetterRow>,
): Extract<TraceStep, { kind: 'letter' }> {
  const { receivedAt, identifier, reason = null, detail = '', stage, attempts = 0, lastAttemptAt } = letter
  return {
    kind: 'letter',
    key: `letter:${letterId}`,
    after: null,
    at: receivedAt.toISOString(),
    lagMs: null,
    known: 'recorded',
    isAsked: true,
    letterId,
    connector: { id, accountId, name, kind },
    identifier,
    reason,
    detail: detail.slice(0, traceLimits.payloadMax),
    stage: stage ?? null,
    attempts,
    lastAttemptAt: lastAttemptAt?.toISOString() ?? null,
  }
}

function accountOf(point: Point): number {
  if (point.kind === 'packet') return point.packet.accountId
  return point.kind === 'value' ? point.state.accountId : point.execution.accountId
}

function timeOf(point: Point): Date {
  if (point.kind === 'packet') return point.packet.receivedAt
  return point.kind === 'value' ? point.time : point.execution.at
}
