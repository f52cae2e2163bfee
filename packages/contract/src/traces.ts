import * as z from 'zod'
import { Alarm } from './alarms.ts'
import { Id, Json, operation, Time } from './common.ts'
import { Fault } from './errors.ts'
import { may } from './permissions.ts'
import { ActionOutcome, Execution, MailOutcome } from './rules.ts'

/** Bounds of a trace; what is beyond is counted (`more`) or said (`cut`). */
export const traceLimits = {
  /** steps that follow from one and the same step */
  perStepMax: 100,
  /** steps altogether */
  stepsMax: 500,
  /** steps one after the other, from a packet on: values, rules, and what these set and start */
  depthMax: 12,
  /** characters of a payload that are shown */
  payloadMax: 400,
} as const

const stepFields = {
  /** unique in its trace */
  key: z.string(),
  /** the step that it follows from; null: the trace begins with it */
  after: z.string().nullable(),
  /** when it happened, or the time of the value */
  at: Time.nullable(),
  /** from the step before to this one, in milliseconds; null: not known */
  lagMs: z.number().nullable(),
  /**
   * How it is known that it follows: `recorded`; or concluded, because the value has the same time (`sameTime`), is the
   * next one of a computed state (`next`), or happened right after (`soon`).
   */
  known: z.enum(['recorded', 'sameTime', 'next', 'soon']),
  /** the step that was asked about */
  isAsked: z.boolean(),
}

const TwinRef = { twinId: Id, twinTitle: z.string(), twinCategory: z.enum(['digitalTwin', 'virtualDevice']) }

export const TraceStep = z.discriminatedUnion('kind', [
  /** A message that could not be used; `at` is when it was received. */
  z.object({
    kind: z.literal('letter'),
    ...stepFields,
    letterId: Id,
    connector: z.object({ id: Id, accountId: Id, name: z.string(), kind: z.string() }),
    /** the device's external id as given in the message */
    identifier: z.string().nullable(),
    /** code of the error catalogue; null: it was processed again since, and is kept no longer */
    reason: z.string().nullable(),
    detail: z.string(),
    /** what is kept of it: `message`: all; `packet`: one packet of it, after the connector's preset or template */
    stage: z.enum(['message', 'packet']).nullable(),
    /** failed replays, and when the last one failed */
    attempts: z.int(),
    lastAttemptAt: Time.nullable(),
  }),
  /** A packet that was received; `at` is when. */
  z.object({
    kind: z.literal('packet'),
    ...stepFields,
    packetId: Id,
    deviceId: Id,
    deviceTitle: z.string(),
    /** as everybody who sees the device may know it; null: deleted */
    connector: z.object({ id: Id, name: z.string(), kind: z.string(), mayOpen: z.boolean() }).nullable(),
    /** when the device or its network sent it */
    sentAt: Time,
    fPort: z.int().nullable(),
    fCnt: z.int().nullable(),
    /** its first characters, and how many there are */
    payload: z.string(),
    length: z.int(),
    encoding: z.enum(['hex', 'json']),
    /** of the gateway that received it best */
    rssi: z.number().nullable(),
    snr: z.number().nullable(),
    /** a packet that was sent later had been received before: late values wake no rules */
    isLate: z.boolean(),
  }),
  /** What the driver made of the packet. */
  z.object({
    kind: z.literal('decode'),
    ...stepFields,
    driver: z.object({ id: Id, title: z.string(), version: z.int().nullable() }).nullable(),
    /** why the packet, or one of its values, could not be used */
    error: Fault.nullable(),
    durationUs: z.int(),
    variables: z.array(
      z.object({
        key: z.string(),
        value: Json,
        /** `stored`: a state took it; `unstored`: there is a state without a value of this time; `unused`: no state */
        outcome: z.enum(['stored', 'unstored', 'unused']),
      }),
    ),
  }),
  /** A state took a value; `at` is the time of the value. */
  z.object({
    kind: z.literal('value'),
    ...stepFields,
    stateId: Id,
    title: z.string(),
    stateKey: z.string(),
    unit: z.string(),
    ...TwinRef,
    source: z.string(),
    /** null: no value was stored that could follow from the step before */
    value: Json,
    isStored: z.boolean(),
  }),
  /** A rule was evaluated. */
  z.object({
    kind: z.literal('execution'),
    ...stepFields,
    execution: Execution.omit({ actions: true, reminders: true }),
  }),
  /** A rule that the value wakes, without an execution that is kept: nothing happened, or it did not run. */
  z.object({
    kind: z.literal('unrecorded'),
    ...stepFields,
    ruleId: Id,
    ruleTitle: z.string(),
    ...TwinRef,
    /** it is switched off or paused now */
    isOff: z.boolean(),
    /** the value was not the newest of its state: rules are not woken */
    isLate: z.boolean(),
    lastEvaluatedAt: Time.nullable(),
  }),
  z.object({
    kind: z.literal('action'),
    ...stepFields,
    action: ActionOutcome,
    /** it can be read in the log of mails */
    mayReadMails: z.boolean(),
  }),
  z.object({
    kind: z.literal('alarm'),
    ...stepFields,
    alarmId: Id,
    ...TwinRef,
    severity: Alarm.shape.severity,
    message: z.string(),
    /** it was resolved here, otherwise raised */
    isResolved: z.boolean(),
  }),
  /** A mail that reminds of an alarm. */
  z.object({ kind: z.literal('reminder'), ...stepFields, mails: z.array(MailOutcome) }),
  /** Steps that the caller may not see. */
  z.object({ kind: z.literal('hidden'), ...stepFields, count: z.int() }),
  /** Steps beyond the largest number. */
  z.object({ kind: z.literal('more'), ...stepFields, count: z.int() }),
  /** Where it came from is not known any more, or never was: `unkept` is deleted because of its age. */
  z.object({
    kind: z.literal('lost'),
    ...stepFields,
    what: z.enum(['packet', 'value', 'rule']),
    reason: z.enum(['unkept', 'unknown', 'outside']),
  }),
])
export type TraceStep = z.infer<typeof TraceStep>

export const Trace = z.object({
  /** each after the step that it follows from */
  steps: z.array(TraceStep),
  /** there is more than `traceLimits` allow */
  cut: z.boolean(),
  /** how long what a trace is made of is kept */
  kept: z.object({
    /** packets, values, executions, mails, messages and resolved alarms of the account */
    months: z.int(),
    /** that is so since */
    since: Time,
    accountId: Id,
    /** executions of a rule, and of a rule for many on each of its twins; of quiet ones only the last of each kind */
    executionsPerRule: z.int(),
    executionsPerTwin: z.int(),
    /** unusable messages of a connector */
    lettersPerConnector: z.int(),
    /** packets that are delivered again within this time are recognised, and leave nothing */
    duplicateDays: z.int(),
  }),
})
export type Trace = z.infer<typeof Trace>

const twins = may('DigitalTwin', 'read')
const tags = ['traces']

/**
 * What became of a packet, from the connector to the mail, and where something came from: all of them return the
 * same chain, from the packet that it begins with.
 */
export const trace = {
  /**
   * What became of a message that could not be used. One that was processed again is gone: its packet is found by what the
   * letter said.
   */
  letter: operation
    .meta({ rule: { any: [{ subject: 'all', action: 'manage' }] } })
    .route({ method: 'GET', path: '/trace/letter', tags, summary: 'What became of a refused message' })
    .input(
      z.object({
        connectorId: Id,
        letterId: Id,
        receivedAt: Time.optional(),
        identifier: z.string().min(1).max(200).optional(),
      }),
    )
    .output(Trace),
  packet: operation
    .meta({ rule: may('VirtualDevice', 'read', 'manage') })
    .route({ method: 'GET', path: '/trace/packet', tags, summary: 'What became of a packet' })
    .input(z.object({ deviceId: Id, packetId: Id, receivedAt: Time }))
    .output(Trace),
  value: operation
    .meta({
      rule: {
        any: [
          { subject: 'DigitalTwin', action: 'read' },
          { subject: 'DigitalTwinStates', action: 'read' },
          { subject: 'VirtualDevice', action: 'read' },
          { subject: 'VirtualDevice', action: 'manage' },
        ],
      },
    })
    .route({
      method: 'GET',
      path: '/trace/value',
      tags,
      summary: 'Where a value came from and what it led to',
    })
    .input(z.object({ stateId: Id, at: Time }))
    .output(Trace),
  execution: operation
    .meta({ rule: twins })
    .route({ method: 'GET', path: '/trace/execution', tags, summary: 'Why a rule was evaluated' })
    .input(z.object({ id: Id }))
    .output(Trace),
  /** Mails of rules, for those who see the rule and its twin. */
  mail: operation
    .meta({ rule: twins })
    .route({ method: 'GET', path: '/trace/mail', tags, summary: 'Why a rule sent a mail' })
    .input(z.object({ id: Id }))
    .output(Trace),
  alarm: operation
    .meta({ rule: twins })
    .route({ method: 'GET', path: '/trace/alarm', tags, summary: 'Why a rule raised an alarm' })
    .input(z.object({ id: Id }))
    .output(Trace),
}
