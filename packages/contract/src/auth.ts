import * as z from 'zod'
import { Done, Id, Json, limits, operation, Text, Time, Title, Version } from './common.ts'

/** Personal defaults of a user (specification 1, section 3). */
export const UserDefaults = z.object({
  language: z.enum(['de', 'en']).optional(),
  color: z.string().max(50).optional(),
  customColor: z
    .string()
    .regex(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i)
    .optional(),
  /** dark mode; absent follows the system */
  uiTheme: z.boolean().optional(),
  /** map style: one of `builtInMapLayouts` or the id of a `MapStyle`; an unknown one is ignored */
  mapLayout: z.string().max(50).optional(),
  drawer: z.boolean().optional(),
  miniVariant: z.boolean().optional(),
  /** 3D buildings, on maps that support them */
  map3DBuild: z.boolean().optional(),
  /** rows per page */
  pagination: z.int().min(5).max(200).optional(),
})
export type UserDefaults = z.infer<typeof UserDefaults>

/**
 * Free-form properties of a user. `userDefaults` and `columns` (chosen table columns by list) are used by the
 * console; `eula` records which terms were accepted and when, and can only be changed by accepting them.
 */
export const UserProperties = z.looseObject({
  userDefaults: UserDefaults.optional(),
  columns: z.record(z.string(), z.array(z.string())).optional(),
})
export type UserProperties = z.infer<typeof UserProperties>

export const SessionUser = z.object({
  id: Id,
  username: z.string(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  accountId: Id,
  properties: UserProperties,
})
export type SessionUser = z.infer<typeof SessionUser>

/** Permissions of the signed-in user, per scope; used by the console to show or hide elements. */
export const SessionAccess = z.object({
  primaryScopeIds: z.array(Id),
  primaryTenantIds: z.array(Id),
  /** permissions that hold in at least one scope, e.g. `VirtualDevice.read` */
  permissions: z.array(z.string()),
  /** top-most accounts in which the user has all permissions */
  allManageTenantIds: z.array(Id),
})
export type SessionAccess = z.infer<typeof SessionAccess>

export const Impersonator = z.object({ id: Id, name: z.string() })
export type Impersonator = z.infer<typeof Impersonator>

export const auth = {
  /**
   * Signs in with user name or e-mail. Five wrong passwords lock the user for 10 minutes. With a second
   * factor, a call without `code` is answered with `2FA_TOKEN_REQUIRED`; `code` is six digits or a recovery
   * code. The token is opaque; it is also set as an HttpOnly cookie `leitstand_session`.
   */
  login: operation
    .meta({ rule: 'public', guessed: true, clientTimeoutMs: 5_000 })
    .route({ method: 'POST', path: '/auth/login', tags: ['auth'], summary: 'Sign in' })
    .input(
      z.object({
        username: z.string().trim().min(1).max(200),
        password: z.string().min(1).max(200),
        code: z.string().max(20).optional(),
      }),
    )
    .output(
      z.object({
        token: z.string(),
        expiresAt: Time,
        user: SessionUser,
        access: SessionAccess,
        needsTwoFactor: z.boolean(),
      }),
    ),
  /**
   * Verifies the caller's session. Returns `isAuthenticated: false` instead of an error when there is none.
   */
  verify: operation
    .meta({ rule: 'public', clientTimeoutMs: 5_000 })
    .route({ method: 'GET', path: '/auth/verify', tags: ['auth'], summary: 'Who am I' })
    .input(z.object({ domain: z.string().max(255).optional() }))
    .output(
      z.object({
        isAuthenticated: z.boolean(),
        user: SessionUser.nullable(),
        /**
         * the token to use from now on: set when the session came by cookie, or when the token was replaced
         */
        token: z.string().nullable(),
        tenantId: Id.nullable(),
        access: SessionAccess.nullable(),
        /** the user who acts as this user, if any */
        impersonator: Impersonator.nullable(),
        /** the impersonator only looks: every call that would change something is refused */
        looking: z.boolean(),
        /** a program authenticated with a key */
        isApiKey: z.boolean(),
        /** the account requires a second factor and the user has none: only setting it up is possible */
        needsTwoFactor: z.boolean(),
        /** the user has not accepted the account's terms of use, or not since they were renewed */
        needsConsent: z.boolean(),
        /** maximum rows in a CSV file exported by the user; null: no limit of the account */
        csvRowsMax: z.int().nullable(),
        featureFlags: z.object({ flags: z.record(z.string(), z.boolean()) }),
      }),
    ),
  /**
   * Starts acting as another user, who must have no permissions that the caller lacks. The caller's own
   * session continues. While acting as another user, a caller cannot switch to a third one.
   */
  impersonate: operation
    .meta({ rule: { any: [{ subject: 'UserManagement', action: 'impersonate' }] }, clientTimeoutMs: 5_000 })
    .route({ method: 'POST', path: '/auth/impersonate', tags: ['auth'], summary: 'Act as another user' })
    .input(z.object({ userId: Id }))
    .output(
      z.object({ user: SessionUser, access: SessionAccess, token: z.string(), originalToken: z.string() }),
    ),
  /**
   * Starts looking at the console as another user sees it, for at most an hour: like `impersonate` and only for
   * those who may impersonate the user, but every operation that changes something or reveals a secret is refused
   * with `AUTH_LOOKING`. `restore` ends it.
   */
  look: operation
    .meta({ rule: { any: [{ subject: 'UserManagement', action: 'impersonate' }] }, clientTimeoutMs: 5_000 })
    .route({ method: 'POST', path: '/auth/look', tags: ['auth'], summary: 'See the console as another user' })
    .input(z.object({ userId: Id }))
    .output(
      z.object({
        user: SessionUser,
        access: SessionAccess,
        token: z.string(),
        originalToken: z.string(),
        expiresAt: Time,
      }),
    ),
  /**
   * Stops acting as another user. The token of the caller's own session comes from the cookie, or from here.
   */
  restore: operation
    .meta({ rule: 'session', guessed: true, clientTimeoutMs: 5_000, changes: 'rights', look: 'ends' })
    .route({ method: 'POST', path: '/auth/restore', tags: ['auth'], summary: 'Act as oneself again' })
    .input(z.object({ originalToken: z.string().max(200).optional() }))
    .output(z.object({ user: SessionUser, access: SessionAccess, token: z.string() })),
  /** Ends the session of the caller. */
  logout: operation
    .meta({ rule: 'session', beforeTwoFactor: true, clientTimeoutMs: 5_000, changes: 'rights', look: 'ends' })
    .route({ method: 'GET', path: '/auth/logout', tags: ['auth'], summary: 'Sign out' })
    .output(Done),
}

export const user = {
  /** Replaces the caller's own properties (personal defaults and others). */
  setProperties: operation
    .meta({ rule: 'session' })
    .route({ method: 'PUT', path: '/user/properties', tags: ['users'], summary: 'Save own properties' })
    .input(z.object({ properties: UserProperties }))
    .output(z.object({ properties: UserProperties })),
}

export const Tenant = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  parentId: Id.nullable(),
  scopeId: Id,
  /** IANA name; used for days, weeks and months of charts */
  timeZone: z.string(),
  /** effective, inherited when not set */
  retentionMonths: z.int(),
  /** shared rate limit of all connectors of the account; null: the platform's default, 0: no limit */
  messagesPerSecond: z.int().nullable(),
  version: z.int(),
})
export type Tenant = z.infer<typeof Tenant>

/** IANA time zone name. */
export const TimeZone = z.string().max(64).refine(isTimeZone, 'not a time zone')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const tenant = {
  /** All accounts the caller may see, flat; `parentId` makes the tree. */
  fetchAll: operation
    .meta({ rule: 'session', clientTimeoutMs: 30_000, reads: 'replica' })
    .route({ method: 'GET', path: '/tenant/fetch/all', tags: ['accounts'], summary: 'All accounts' })
    .output(z.object({ items: z.array(Tenant) })),
  create: operation
    .meta({
      rule: {
        any: [
          { subject: 'UserManagement', action: 'create' },
          { subject: 'all', action: 'manage' },
        ],
      },
      changes: 'rights',
    })
    .route({
      method: 'POST',
      path: '/tenant',
      tags: ['accounts'],
      summary: 'Create an account',
      successStatus: 201,
    })
    .input(
      z.object({
        name: Title,
        description: Text.default(''),
        parentId: Id,
        timeZone: TimeZone.default('Europe/Berlin'),
      }),
    )
    .output(Tenant),
  /** Sets the limits of an account on shared resources; only for administrators of the platform. */
  setLimits: operation
    .meta({ rule: { any: [{ subject: 'super.system', action: 'manage' }] } })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/limits',
      tags: ['accounts'],
      summary: 'Set the limits of an account',
    })
    .input(
      z.object({
        id: Id,
        version: Version,
        messagesPerSecond: z.int().min(0).max(limits.messagesPerSecondMax).nullable(),
      }),
    )
    .output(Tenant),
}

export const FavoriteType = z.enum([
  'digitalTwin',
  'virtualDevice',
  'dashboard',
  'smartGroup',
  'ticket',
  /** a trackable twin, by its id */
  'asset',
  /** by the id of its twin */
  'warnMonitor',
  /** a door that the caller has a key for */
  'lock',
])
export type FavoriteType = z.infer<typeof FavoriteType>

export const Favorite = z.object({
  id: Id,
  type: FavoriteType,
  objectId: Id,
  title: z.string(),
  createdAt: Time,
})
export type Favorite = z.infer<typeof Favorite>

export const favorite = {
  /** The caller's favourites whose objects still exist and may be seen. */
  list: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/favorite', tags: ['favourites'], summary: 'Own favourites' })
    .output(z.object({ items: z.array(Favorite) })),
  create: operation
    .meta({ rule: 'session' })
    .route({
      method: 'POST',
      path: '/favorite',
      tags: ['favourites'],
      summary: 'Add a favourite',
      successStatus: 201,
    })
    .input(z.object({ type: FavoriteType, objectId: Id }))
    .output(Favorite),
  delete: operation
    .meta({ rule: 'session' })
    .route({ method: 'DELETE', path: '/favorite/{id}', tags: ['favourites'], summary: 'Remove a favourite' })
    .input(z.object({ id: Id }))
    .output(Done),
}

export const Activity = z.object({
  id: Id,
  at: Time,
  accountId: Id.nullable(),
  userId: Id.nullable(),
  userName: z.string(),
  ip: z.string(),
  /** the user who really acted, if someone acted as this user */
  impersonatorName: z.string().nullable(),
  /** the application that acted for the user, if any */
  applicationName: z.string().nullable(),
  action: z.string(),
  subject: z.string(),
  objectId: Id.nullable(),
  objectTitle: z.string(),
  changes: Json.nullable(),
})
export type Activity = z.infer<typeof Activity>
