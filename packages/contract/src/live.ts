/**
 * Messages of the live connection: one WebSocket per tab at `/api/live`.
 *
 * The client first says `hello` with its token, once, then subscribes to topics. For each subscription the server sends what
 * happened since `sinceMs`, or in the last `agoMs` (backfill), says `subscribed`, and then streams. A reader that does not
 * keep up is closed with code 4008 and resumes with the time of the last message it saw.
 */
import type { JsonValue } from './common.ts'

/**
 * Topics: `twin:{id}` values of the states of a twin or device; `packets:{deviceId}`; `connector:{id}` state, traffic;
 * `dashboard:{id}` values of every state its widgets show; `alarms` alarms the caller may see; `rule:{id}` executions;
 * `moves:{id}` positions of a twin and everything below it, `moves` of all twins; `announcements:{accountId}` those for the
 * users of an account; `tickets` tickets the caller may see; `warn:{twinId}` values of the states of a warn monitor;
 * `activations` activations of locks where the caller has or manages keys.
 */
export type LiveTopic =
  | `${'twin' | 'packets' | 'connector' | 'dashboard' | 'rule' | 'moves' | 'announcements' | 'warn'}:${number}`
  | 'alarms'
  | 'tickets'
  | 'activations'
  | 'moves'

export type LiveClientMessage =
  | { kind: 'hello'; token: string | null }
  | {
      kind: 'subscribe'
      topic: LiveTopic
      /** time of the last message seen, when it was followed before */
      sinceMs?: number
      /** how old what the reader shows may be, when it was not */
      agoMs?: number
    }
  | { kind: 'unsubscribe'; topic: LiveTopic }
  | { kind: 'ping' }

export interface LiveValue {
  stateId: number
  twinId: number
  key: string
  value: JsonValue
  timeMs: number
}

export interface LiveMove {
  twinId: number
  latitude: number
  longitude: number
}

export type LiveServerMessage =
  | { kind: 'welcome' }
  | { kind: 'refused'; topic: LiveTopic | null; code: string }
  | { kind: 'subscribed'; topic: LiveTopic; timeMs: number }
  | { kind: 'values'; topic: LiveTopic; values: LiveValue[] }
  | { kind: 'moves'; topic: LiveTopic; moves: LiveMove[]; timeMs: number }
  | { kind: 'packet'; topic: LiveTopic; packetId: number; deviceId: number; timeMs: number }
  | {
      kind: 'connector'
      topic: LiveTopic
      connectorId: number
      state: string
      message: string
      timeMs: number
    }
  | { kind: 'traffic'; topic: LiveTopic; connectorId: number; count: number; timeMs: number }
  | { kind: 'alarm'; topic: LiveTopic; alarmId: number; severity: string; resolved: boolean; timeMs: number }
  | { kind: 'ticket'; topic: LiveTopic; ticketId: number; timeMs: number }
  | { kind: 'activation'; topic: LiveTopic; activationId: number; timeMs: number }
  | { kind: 'execution'; topic: LiveTopic; ruleId: number; result: string; timeMs: number }
  /** announcements have begun, changed or ended: read them again */
  | { kind: 'announcements'; topic: LiveTopic; timeMs: number }
  /** the server could not backfill everything: reload with a query */
  | { kind: 'resync'; topic: LiveTopic; timeMs: number }
  | { kind: 'pong' }

export const liveLimits = {
  /** topics of one connection */
  topicsMax: 200,
  /** bytes buffered for a slow reader before it is disconnected */
  bufferBytesMax: 1_048_576,
  closeSlowReader: 4008,
  closeUnauthorised: 4001,
  /** a connection belongs to one caller: open another one for a different user */
  closeSecondHello: 4002,
  /** too many connections: the reason says whose limit was reached */
  closeTooMany: 1013,
  /** the permissions have changed: connect and subscribe again */
  closeRightsChanged: 1012,
} as const
