import * as z from 'zod'
import {
  Done,
  Id,
  Json,
  limits,
  listOf,
  operation,
  orderBy,
  Paging,
  pageOf,
  Text,
  Time,
  Title,
  Version,
} from './common.ts'
import { ConnectorKind } from './connectors/kinds/index.ts'
import { Preset, RemoteSystem } from './connectors/parts.ts'

export { ConnectorKind, connectorKinds } from './connectors/kinds/index.ts'
export { Preset, presets, RemoteSystem, remoteSystems } from './connectors/parts.ts'

/** Why a check of a connector's settings failed; without one, its message is in the words of others. */
export const checkReasons = [
  'passwordShort',
  'usernameTaken',
  'nameTaken',
  'ownTopics',
  'secretAgain',
  'keyMissing',
  'valueMissing',
] as const
export type CheckReason = (typeof checkReasons)[number]

/**
 * The standard packet, one or an array of:
 * - for a virtual device: `identifier` (its external id) and `data` or `payload` (hex text, or a JSON object)
 * - for twins by reference id: `routing` with one pair, `variable` (key of the state), `data: { value, time? }`
 * Times are accepted as ISO text (without a zone: UTC), and as seconds, milliseconds or microseconds since 1970.
 */
export const StandardPacket = z.union([
  z.object({
    routing: z.record(z.string(), z.union([z.string(), z.number()])),
    variable: z.string().min(1).max(200),
    data: z.object({ value: Json, time: z.union([z.string(), z.number()]).optional() }),
    meta: z.record(z.string(), Json).optional(),
  }),
  z.object({
    identifier: z.string().min(1).max(200),
    data: Json.optional(),
    payload: Json.optional(),
    time: z.union([z.string(), z.number()]).optional(),
    /** `meta.lora`: fport, fcnt, confirmed, dr, rssi, snr, gateways … */
    meta: z.record(z.string(), Json).optional(),
  }),
])
export type StandardPacket = z.infer<typeof StandardPacket>

export const capabilities = ['device-management', 'data-source', 'commands', 'ingestion', 'outgoing'] as const

export const connectorStates = [
  'waiting',
  'connecting',
  'connected',
  'listening',
  'error',
  'disabled',
] as const
export const ConnectorState = z.enum(connectorStates)
export type ConnectorState = z.infer<typeof ConnectorState>

/** Maximum number of active keys of a connector. */
export const connectorKeysMax = 5
/** Hours that previous keys stay valid after a new one is created. */
export const keyOverlapHours = { usual: 24, max: 90 * 24 } as const

/** A key of an incoming webhook. The key itself is shown once, when it is created. */
export const ConnectorKey = z.object({
  id: Id,
  /** its last four characters */
  hint: z.string(),
  createdAt: Time,
  /** null: valid until it is revoked */
  endsAt: Time.nullable(),
  /** accurate to a minute */
  lastUsedAt: Time.nullable(),
})
export type ConnectorKey = z.infer<typeof ConnectorKey>

export const Connector = z.object({
  id: Id,
  accountId: Id,
  accountName: z.string(),
  name: z.string(),
  description: z.string(),
  kind: ConnectorKind,
  enabled: z.boolean(),
  /**
   * how it parses messages; also returned without manage rights, as it decides which external ids devices may
   * have
   */
  preset: Preset,
  /** the network server whose devices can be listed, read and deleted through it */
  remote: RemoteSystem,
  /** settings of the kind without secrets */
  settings: z.record(z.string(), Json),
  /** active keys of an incoming webhook, newest first; empty for other kinds and without manage rights */
  keys: z.array(ConnectorKey),
  /**
   * addresses that devices send to: of the built-in broker, or of the webhook without its key
   * (`{address}/{key}`, or the key in the header `x-api-key`); empty where we open the connection
   */
  endpoints: z.array(z.string()),
  state: ConnectorState,
  stateMessage: z.string(),
  stateAt: Time,
  /** when a message last arrived, used or refused; null without manage rights */
  lastMessageAt: Time.nullable(),
  /** when a message was last refused or could not be used; null without manage rights */
  lastRefusedAt: Time.nullable(),
  deviceCount: z.int(),
  createdAt: Time,
  updatedAt: Time,
  version: z.int(),
})
export type Connector = z.infer<typeof Connector>

/** A connector with a newly created key: `POST {PUBLIC_URL}/api/hooks/{key}`. The key is shown only once. */
export const ConnectorWithKey = Connector.extend({ key: z.string().nullable() })
export type ConnectorWithKey = z.infer<typeof ConnectorWithKey>

export const TrafficEntry = z.object({
  seq: z.int(),
  at: Time,
  identifier: z.string().nullable(),
  deviceId: Id.nullable(),
  /** the original message as text, truncated at 4 KB */
  raw: z.string(),
  decoded: Json.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  durationUs: z.int(),
})
export type TrafficEntry = z.infer<typeof TrafficEntry>

export const ConnectorLogEntry = z.object({
  id: Id,
  at: Time,
  level: z.enum(['info', 'warning', 'error']),
  event: z.string(),
  message: z.string(),
})
export type ConnectorLogEntry = z.infer<typeof ConnectorLogEntry>

const manage = { any: [{ subject: 'all', action: 'manage' }] } as const
const ConnectorInput = {
  name: Title,
  description: Text.default(''),
  enabled: z.boolean().default(true),
  /** settings of the kind; checked against its schema */
  settings: z.record(z.string(), Json),
}

export const bridge = {
  /** Kinds with their capabilities and presets. */
  types: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/bridge/types', tags: ['connectors'], summary: 'Kinds of connectors' })
    .output(
      z.object({
        items: z.array(
          z.object({
            kind: ConnectorKind,
            direction: z.enum(['in', 'out']),
            capabilities: z.array(z.enum(capabilities)),
            presets: z.array(Preset),
            /** JSON schema of the settings */
            settingsSchema: z.record(z.string(), Json),
          }),
        ),
      }),
    ),
  /**
   * Connectors of the accounts the caller manages; for selection lists also readable with VirtualDevice
   * rights.
   */
  list: operation
    .meta({
      rule: {
        any: [
          { subject: 'all', action: 'manage' },
          { subject: 'VirtualDevice', action: 'read' },
          { subject: 'VirtualDevice', action: 'manage' },
        ],
      },
    })
    .route({ method: 'GET', path: '/bridge/configs', tags: ['connectors'], summary: 'Connectors' })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        accountIds: listOf(Id).optional(),
        kinds: listOf(ConnectorKind).optional(),
        orderBy: orderBy(['name', 'kind', 'state', 'createdAt']).default('name'),
      }),
    )
    .output(pageOf(Connector)),
  get: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: '/bridge/configs/{id}', tags: ['connectors'], summary: 'Read a connector' })
    .input(z.object({ id: Id }))
    .output(Connector),
  /**
   * Validates (tests the connection, compiles the template) and stores only settings that work. Returns the
   * key of a webhook, null for other kinds.
   */
  create: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/bridge/configs',
      tags: ['connectors'],
      summary: 'Validate and save a new connector',
      successStatus: 201,
    })
    .input(z.object({ accountId: Id, kind: ConnectorKind, ...ConnectorInput }))
    .output(ConnectorWithKey),
  update: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'PUT',
      path: '/bridge/configs/{id}',
      tags: ['connectors'],
      summary: 'Validate and save a connector',
    })
    .input(z.object({ id: Id, version: Version, ...ConnectorInput }))
    .output(Connector),
  /** Refused with CONNECTOR_IN_USE while virtual devices use it. */
  delete: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'DELETE',
      path: '/bridge/configs/{id}',
      tags: ['connectors'],
      summary: 'Delete a connector',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /**
   * Creates a key for a webhook. Previous keys stay valid for at most the given hours, so that clients can
   * switch to the new one; 0 revokes them at once. More than 5 active keys are refused with
   * CONNECTOR_KEYS_MAX.
   */
  makeKey: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/bridge/configs/{id}/keys',
      tags: ['connectors'],
      summary: 'Make a new key for a webhook',
      successStatus: 201,
    })
    .input(
      z.object({
        id: Id,
        overlapHours: z.int().min(0).max(keyOverlapHours.max).default(keyOverlapHours.usual),
      }),
    )
    .output(ConnectorWithKey),
  /** Revokes a key at once. */
  endKey: operation
    .meta({ rule: manage })
    .route({
      method: 'DELETE',
      path: '/bridge/configs/{id}/keys/{keyId}',
      tags: ['connectors'],
      summary: 'End a key of a webhook',
    })
    .input(z.object({ id: Id, keyId: Id }))
    .output(Connector),
  /** Checks settings without storing them. With `id`, stored secrets replace empty ones. */
  validate: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({ method: 'POST', path: '/bridge/validate', tags: ['connectors'], summary: 'Try settings' })
    .input(
      z.object({
        accountId: Id,
        kind: ConnectorKind,
        id: Id.optional(),
        settings: z.record(z.string(), Json),
        /** a message to run through the preset or template */
        sample: z.string().max(limits.payloadBytesMax).optional(),
      }),
    )
    .output(
      z.object({
        ok: z.boolean(),
        checks: z.array(
          z.object({
            name: z.string(),
            ok: z.boolean(),
            message: z.string(),
            reason: z.enum(checkReasons).optional(),
          }),
        ),
        packets: z.array(Json).optional(),
      }),
    ),
  /** Resets the state, by default to `waiting`, and restarts the connector. */
  stateReset: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/bridge/configs/{id}/state-reset',
      tags: ['connectors'],
      summary: 'Reset the state',
    })
    .input(z.object({ id: Id, target: ConnectorState.default('waiting') }))
    .output(Connector),
  /** The last packets (at most 100): raw, decoded, error, duration. */
  traffic: operation
    .meta({ rule: manage })
    .route({
      method: 'GET',
      path: '/bridge/configs/{id}/traffic',
      tags: ['connectors'],
      summary: 'Connector log',
    })
    .input(z.object({ id: Id, limit: z.int().min(1).max(100).default(100) }))
    .output(z.object({ items: z.array(TrafficEntry) })),
  /** The last connection events (at most 100). */
  logs: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: '/bridge/configs/{id}/logs', tags: ['connectors'], summary: 'Status log' })
    .input(z.object({ id: Id, limit: z.int().min(1).max(100).default(100) }))
    .output(z.object({ items: z.array(ConnectorLogEntry) })),
}
