import * as z from 'zod'
import { Zone } from './accounts.ts'
import {
  Done,
  Id,
  Json,
  ListFile,
  ListFileInput,
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
import { may } from './permissions.ts'
import { ConnectorCommandAction } from './rules/actions/connector-command.ts'

export const keyLimits = {
  locksOfAccountMax: 5_000,
  groupsOfAccountMax: 500,
  locksOfGroupMax: 500,
  keysOfAccountMax: 20_000,
  /** doors that one person is shown */
  doorsMax: 500,
  /** characters of a note on a key */
  noteMax: 200,
  /** seconds to wait for what a lock reports */
  waitMax: 120,
  throttleSecondsMax: 3_600,
  withinMetresMin: 10,
  withinMetresMax: 100_000,
  /** refused attempts of one person that are kept of a day; more are refused, but not kept */
  refusedOfDayMax: 200,
  logMonthsMax: 120,
  fileRowsMax: 20_000,
} as const

/** Months that the log is kept where an account has set nothing. */
export const logMonthsDefault = 12

/** How a lock is opened. */
export const lockWays = ['downlink', 'connector-command', 'webhook'] as const

/** How a lock is opened. Every message is sent once: what does not arrive at once must not open a door later. */
export const LockWay = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('downlink'),
    deviceId: Id,
    /** one of the downlinks of its driver */
    name: z.string().trim().min(1).max(100),
    /** values of its parameters */
    values: z
      .record(z.string().max(50), z.union([z.number(), z.boolean(), z.string().max(200)]))
      .refine((values) => Object.keys(values).length <= 20, 'too many parameters')
      .default({}),
  }),
  z.object({
    kind: z.literal('connector-command'),
    connectorId: Id,
    topic: ConnectorCommandAction.shape.topic,
    payload: Text,
  }),
  z.object({
    kind: z.literal('webhook'),
    connectorId: Id,
    /** JSON or text; empty: `{ lock: { id, title }, activation, time }` */
    payload: Text.default(''),
  }),
])
export type LockWay = z.infer<typeof LockWay>

/** The state by which a lock reports, and its value when the door can be opened. */
const LockReport = z.object({
  stateId: Id,
  // A value that is missing has no text.
  value: Json.refine((value) => String(JSON.stringify(value)).length <= 200, 'too long'),
})

const lockFields = {
  way: LockWay,
  /** null: it does not report whether it has opened */
  report: LockReport.nullable().default(null),
  /** seconds until a lock that does not report counts as not answering */
  waitSeconds: z.int().min(1).max(keyLimits.waitMax).default(20),
  /** seconds between two activations of the lock by one person */
  throttleSeconds: z.int().min(1).max(keyLimits.throttleSecondsMax).default(5),
  /** a code of the second factor is needed each time */
  needsCode: z.boolean().default(false),
  /** how near to the door the person has to be, by what their browser says; null: anywhere */
  withinMetres: z
    .int()
    .min(keyLimits.withinMetresMin)
    .max(keyLimits.withinMetresMax)
    .nullable()
    .default(null),
}

const Door = z.object({ id: Id, title: z.string() })

export const Lock = z.object({
  id: Id,
  version: Version,
  accountId: Id,
  accountName: z.string(),
  /** the door */
  twin: Door,
  way: LockWay,
  /** null: the device or the connector is gone, the lock opens nothing */
  wayTo: z.string().nullable(),
  report: LockReport.extend({ title: z.string() }).nullable(),
  waitSeconds: z.int(),
  throttleSeconds: z.int(),
  needsCode: z.boolean(),
  withinMetres: z.int().nullable(),
  /** keys that open it, by itself or by a group, and are not revoked or expired */
  keys: z.int(),
})
export type Lock = z.infer<typeof Lock>

export const LockGroup = z.object({
  id: Id,
  version: Version,
  accountId: Id,
  accountName: z.string(),
  title: z.string(),
  /** by title of the door */
  locks: z.array(z.object({ id: Id, title: z.string() })),
})
export type LockGroup = z.infer<typeof LockGroup>

const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time like 08:30')

/** Hours of a day; an end before the start is on the next day, whose weekday does not matter. */
export const KeyHours = z
  .object({ from: Clock, until: Clock })
  .refine(({ from, until }) => from !== until, { path: ['until'], message: 'ends when it begins' })
export type KeyHours = z.infer<typeof KeyHours>

const keyFields = {
  /** one of both; the contract refuses none and two */
  lockId: Id.nullable().default(null),
  groupId: Id.nullable().default(null),
  validFrom: Time,
  /** null: until it is revoked */
  validUntil: Time.nullable().default(null),
  /** 1 Monday to 7 Sunday; none: on all */
  weekdays: z
    .array(z.int().min(1).max(7))
    .max(7)
    .refine((days) => new Set(days).size === days.length, 'twice')
    .default([]),
  /** null: the whole day */
  hours: KeyHours.nullable().default(null),
  /** of weekdays and hours; absent: that of the account */
  timeZone: Zone.optional(),
  note: z.string().trim().max(keyLimits.noteMax).default(''),
}

/** Why a key opens nothing right now. */
export const keyClosed = ['revoked', 'notYet', 'expired', 'hours'] as const
export type KeyClosed = (typeof keyClosed)[number]

const validity = {
  validFrom: Time,
  validUntil: Time.nullable(),
  weekdays: z.array(z.int()),
  hours: z.object({ from: z.string(), until: z.string() }).nullable(),
  timeZone: z.string(),
  /** null: it opens now */
  closed: z.enum(keyClosed).nullable(),
}

export const DoorKey = z.object({
  id: Id,
  version: Version,
  accountId: Id,
  accountName: z.string(),
  user: z.object({ id: Id, name: z.string() }),
  lock: Door.nullable(),
  group: z.object({ id: Id, title: z.string(), locks: z.int() }).nullable(),
  ...validity,
  note: z.string(),
  revokedAt: Time.nullable(),
  revokedBy: z.string().nullable(),
  createdAt: Time,
  createdBy: z.string(),
  /** whether the caller may change it */
  editable: z.boolean(),
})
export type DoorKey = z.infer<typeof DoorKey>

/**
 * What became of an activation. `sent`: the command was taken, and the lock does not report. `noAnswer`: it is not
 * known whether it has opened.
 */
export const activationResults = ['opened', 'sent', 'failed', 'noAnswer', 'refused'] as const
export type ActivationResult = (typeof activationResults)[number]

/** Why an attempt was refused. */
export const refusalReasons = [
  ...keyClosed,
  'noRight',
  'throttled',
  'codeNeeded',
  'codeWrong',
  'codeLocked',
  'positionNeeded',
  'tooFar',
] as const
export type RefusalReason = (typeof refusalReasons)[number]

export const Activation = z.object({
  id: Id,
  /** null: still under way */
  result: z.enum(activationResults).nullable(),
  /** of `refused` a refusal, of `failed` why it could not be sent; otherwise empty */
  reason: z.string(),
  detail: z.string(),
  requestedAt: Time,
  /** until when an answer is awaited */
  deadline: Time,
  endedAt: Time.nullable(),
  lock: z.object({ id: Id.nullable(), twinId: Id.nullable(), title: z.string() }),
  keyId: Id.nullable(),
  user: z.object({ id: Id.nullable(), name: z.string() }),
  accountId: Id,
  accountName: z.string(),
  /** metres from the door, by what the browser said; null: it was not asked */
  metres: z.int().nullable(),
})
export type Activation = z.infer<typeof Activation>

/** A door that the caller has a key for. */
export const MyDoor = z.object({
  /** of the key */
  id: Id,
  lockId: Id,
  twinId: Id,
  title: z.string(),
  /** titles of the twins above it, the topmost first */
  above: z.array(z.string()),
  ...validity,
  /** the lock reports whether it has opened */
  reports: z.boolean(),
  needsCode: z.boolean(),
  withinMetres: z.int().nullable(),
  throttleSeconds: z.int(),
  /** the last activation by the caller */
  last: Activation.nullable(),
})
export type MyDoor = z.infer<typeof MyDoor>

const manage = may('IsFmAccess', 'manage')
/** Who has keys of their own may do what concerns these. */
const own = may('IsFmAccess', 'write', 'manage')

const whole = { lockId: keyFields.lockId, groupId: keyFields.groupId }
const isForOne = ({ lockId, groupId }: z.infer<z.ZodObject<typeof whole>>) =>
  (lockId === null) !== (groupId === null)
const oneOf = { path: ['lockId'], message: 'a lock or a group' }

const keyFilters = {
  search: z.string().max(200).optional(),
  accountIds: listOf(Id).optional(),
  userIds: listOf(Id).optional(),
  lockIds: listOf(Id).optional(),
  groupIds: listOf(Id).optional(),
  /** `valid`: not revoked and not expired, also if it begins later */
  validity: listOf(z.enum(['valid', 'expired', 'revoked'])).optional(),
}
const keyOrder = orderBy(['createdAt', 'user', 'validUntil']).default('-createdAt')

const logFilters = {
  search: z.string().max(200).optional(),
  accountIds: listOf(Id).optional(),
  results: listOf(z.enum(['requested', ...activationResults])).optional(),
  twinId: Id.optional(),
  /** doors that are in this group of locks now */
  groupId: Id.optional(),
  userId: Id.optional(),
  from: Time.optional(),
  until: Time.optional(),
}

/** Virtual keys of people and the locks they open. What can be seen and changed follows the scope of the door. */
export const isfmAccessMgmt = {
  list: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: '/isfmAccessMgmt', tags: ['keys'], summary: 'Keys' })
    .input(z.object({ ...Paging, ...keyFilters, order_by: keyOrder }))
    .output(pageOf(DoorKey)),
  /** As a file, at most `keyLimits.fileRowsMax`. */
  exportFile: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/isfmAccessMgmt/file',
      tags: ['keys'],
      summary: 'Keys as a file',
      outputStructure: 'detailed',
    })
    .input(z.object({ ...keyFilters, order_by: keyOrder, ...ListFileInput }))
    .output(ListFile),
  /** Keys of a user: one's own, or those of others that the caller manages. */
  ofUser: operation
    .meta({ rule: own })
    .route({
      method: 'GET',
      path: '/isfmAccessMgmt/user/{userId}',
      tags: ['keys'],
      summary: 'Keys of a user',
    })
    .input(z.object({ userId: Id, ...Paging, validity: keyFilters.validity }))
    .output(pageOf(DoorKey)),
  /** The doors that the caller has a key for, each once, at most `keyLimits.doorsMax`; those that open now first. */
  mine: operation
    .meta({ rule: own })
    .route({ method: 'GET', path: '/isfmAccessMgmt/mine', tags: ['keys'], summary: 'Own doors' })
    .input(z.object({}))
    .output(z.object({ items: z.array(MyDoor) })),
  /** @throws INVALID_DATE_RANGE, LOCK_NOT_FOUND, LOCK_GROUP_NOT_FOUND, KEY_HOLDER_INVALID, KEYS_LIMIT */
  create: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/isfmAccessMgmt',
      tags: ['keys'],
      summary: 'Give a key',
      successStatus: 201,
    })
    .input(z.object({ userId: Id, ...keyFields }).refine(isForOne, oneOf))
    .output(DoorKey),
  /**
   * Its user stays; a revoked key stays revoked.
   * @throws KEY_NOT_FOUND, VERSION_CONFLICT, INVALID_DATE_RANGE, LOCK_NOT_FOUND, LOCK_GROUP_NOT_FOUND, KEY_HOLDER_INVALID,
   *   KEY_REVOKED
   */
  update: operation
    .meta({ rule: manage })
    .route({ method: 'PUT', path: '/isfmAccessMgmt/{id}', tags: ['keys'], summary: 'Change a key' })
    .input(z.object({ id: Id, version: Version, ...keyFields }).refine(isForOne, oneOf))
    .output(DoorKey),
  /** It opens nothing from now on. @throws KEY_NOT_FOUND */
  revoke: operation
    .meta({ rule: manage })
    .route({ method: 'POST', path: '/isfmAccessMgmt/{id}/revoke', tags: ['keys'], summary: 'Revoke a key' })
    .input(z.object({ id: Id }))
    .output(DoorKey),
  /** @throws KEY_NOT_FOUND */
  delete: operation
    .meta({ rule: manage })
    .route({ method: 'DELETE', path: '/isfmAccessMgmt/{id}', tags: ['keys'], summary: 'Delete a key' })
    .input(z.object({ id: Id }))
    .output(Done),
  /**
   * Opens a lock with one of the caller's own keys. The answer says that it was requested; what becomes of it follows.
   * @throws KEY_NOT_FOUND, LOCK_REFUSED with `reason`, ACTIVATION_REUSED, AUTH_IMPERSONATING
   */
  activateLock: operation
    .meta({ rule: own })
    .route({
      method: 'POST',
      path: '/isfmAccessMgmt/{id}/activateLock',
      tags: ['keys'],
      summary: 'Open a lock',
    })
    .input(
      z.object({
        id: Id,
        /** needed for a key of a group */
        lockId: Id.optional(),
        /** chosen by the client, one for each time the door is to open: what is sent again opens nothing */
        requestId: z.uuid(),
        /** of the second factor */
        code: z
          .string()
          .regex(/^\d{6}$/)
          .optional(),
        /** what the browser says; it can be made up */
        position: z
          .object({
            latitude: z.number().min(-90).max(90),
            longitude: z.number().min(-180).max(180),
          })
          .optional(),
      }),
    )
    .output(Activation),
  /** One's own or one of a door that the caller manages keys of. @throws ACTIVATION_NOT_FOUND */
  activation: operation
    .meta({ rule: own })
    .route({
      method: 'GET',
      path: '/isfmAccessMgmt/activations/{id}',
      tags: ['keys'],
      summary: 'An activation of a lock',
    })
    .input(z.object({ id: Id }))
    .output(Activation),
  /** The log of activations, newest first: all of the doors the caller manages keys of, and one's own. */
  log: operation
    .meta({ rule: own })
    .route({
      method: 'GET',
      path: '/isfmAccessMgmt/activations',
      tags: ['keys'],
      summary: 'Activations of locks',
    })
    .input(z.object({ ...Paging, ...logFilters }))
    .output(pageOf(Activation)),
  /** As a file, at most `keyLimits.fileRowsMax`. */
  logFile: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/isfmAccessMgmt/activations/file',
      tags: ['keys'],
      summary: 'Activations of locks as a file',
      outputStructure: 'detailed',
    })
    .input(z.object({ ...logFilters, ...ListFileInput }))
    .output(ListFile),
  locks: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: '/isfmAccessMgmt/locks', tags: ['keys'], summary: 'Locks' })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        accountIds: listOf(Id).optional(),
        groupId: Id.optional(),
        ids: listOf(Id).optional(),
      }),
    )
    .output(pageOf(Lock)),
  /**
   * @throws DTWIN_NOT_FOUND, LOCK_TWIN_INVALID, LOCK_EXISTS, LOCKS_LIMIT, LOCK_WAY_INVALID, LOCK_REPORT_INVALID,
   * LOCK_POSITION_MISSING
   */
  createLock: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/isfmAccessMgmt/locks',
      tags: ['keys'],
      summary: 'Give a door a lock',
      successStatus: 201,
    })
    .input(z.object({ twinId: Id, ...lockFields }))
    .output(Lock),
  /**
   * @throws LOCK_NOT_FOUND, VERSION_CONFLICT, LOCK_WAY_INVALID, LOCK_REPORT_INVALID,
   * LOCK_POSITION_MISSING
   */
  updateLock: operation
    .meta({ rule: manage })
    .route({ method: 'PUT', path: '/isfmAccessMgmt/locks/{id}', tags: ['keys'], summary: 'Change a lock' })
    .input(z.object({ id: Id, version: Version, ...lockFields }))
    .output(Lock),
  /** With the keys of this lock alone. @throws LOCK_NOT_FOUND */
  deleteLock: operation
    .meta({ rule: manage })
    .route({ method: 'DELETE', path: '/isfmAccessMgmt/locks/{id}', tags: ['keys'], summary: 'Delete a lock' })
    .input(z.object({ id: Id }))
    .output(Done),
  /** By title. */
  groups: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: '/isfmAccessMgmt/groups', tags: ['keys'], summary: 'Groups of locks' })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        accountIds: listOf(Id).optional(),
        ids: listOf(Id).optional(),
      }),
    )
    .output(pageOf(LockGroup)),
  /** @throws TENANT_NOT_FOUND, LOCK_NOT_FOUND, LOCK_GROUPS_LIMIT */
  createGroup: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/isfmAccessMgmt/groups',
      tags: ['keys'],
      summary: 'Create a group of locks',
      successStatus: 201,
    })
    .input(
      z.object({
        accountId: Id,
        title: Title,
        lockIds: z.array(Id).max(keyLimits.locksOfGroupMax).default([]),
      }),
    )
    .output(LockGroup),
  /** @throws LOCK_GROUP_NOT_FOUND, VERSION_CONFLICT, LOCK_NOT_FOUND */
  updateGroup: operation
    .meta({ rule: manage })
    .route({
      method: 'PUT',
      path: '/isfmAccessMgmt/groups/{id}',
      tags: ['keys'],
      summary: 'Change a group of locks',
    })
    .input(
      z.object({
        id: Id,
        version: Version,
        title: Title,
        lockIds: z.array(Id).max(keyLimits.locksOfGroupMax),
      }),
    )
    .output(LockGroup),
  /** With its keys. @throws LOCK_GROUP_NOT_FOUND */
  deleteGroup: operation
    .meta({ rule: manage })
    .route({
      method: 'DELETE',
      path: '/isfmAccessMgmt/groups/{id}',
      tags: ['keys'],
      summary: 'Delete a group of locks',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /**
   * Users who can be given a key: active, in the scopes of the caller, with the right to use keys there. By name.
   * @throws LOCK_NOT_FOUND, LOCK_GROUP_NOT_FOUND
   */
  holders: operation
    .meta({ rule: manage })
    .route({
      method: 'GET',
      path: '/isfmAccessMgmt/holders',
      tags: ['keys'],
      summary: 'Who can be given a key',
    })
    .input(
      z.object({
        lockId: Id.optional(),
        groupId: Id.optional(),
        search: z.string().max(200).optional(),
        ...Paging,
      }),
    )
    .output(pageOf(z.object({ id: Id, name: z.string() }))),
  /** @throws TENANT_NOT_FOUND */
  settings: operation
    .meta({ rule: manage })
    .route({
      method: 'GET',
      path: '/isfmAccessMgmt/settings/{accountId}',
      tags: ['keys'],
      summary: 'Settings for keys of an account',
    })
    .input(z.object({ accountId: Id }))
    .output(z.object({ logMonths: z.int() })),
  /** How long the log of activations is kept. @throws TENANT_NOT_FOUND */
  setSettings: operation
    .meta({ rule: manage })
    .route({
      method: 'PUT',
      path: '/isfmAccessMgmt/settings/{accountId}',
      tags: ['keys'],
      summary: 'Change settings for keys of an account',
    })
    .input(z.object({ accountId: Id, logMonths: z.int().min(1).max(keyLimits.logMonthsMax) }))
    .output(z.object({ logMonths: z.int() })),
}
