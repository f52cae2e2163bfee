import * as z from 'zod'
import { SessionAccess, SessionUser } from './auth.ts'
import {
  Done,
  Id,
  listOf,
  operation,
  orderBy,
  Paging,
  pageOf,
  Text,
  Time,
  Title,
  Version,
  WebAddress,
} from './common.ts'
import { may, type Permission } from './permissions.ts'

const every = (subject: Permission['subject'], ...actions: Permission['action'][]): Permission[] =>
  actions.map((action) => ({ subject, action }))

/**
 * Permissions that an application can be granted on behalf of a user, besides reading the user's identity.
 * `manage` includes every action on the subject; `all` is everything except the administration of the
 * installation. A token never has more permissions than its user.
 */
export const permissionScopes = {
  'twins.read': [...every('DigitalTwin', 'read', 'list'), ...every('DigitalTwinStates', 'read', 'list')],
  'twins.manage': [...every('DigitalTwin', 'manage'), ...every('DigitalTwinStates', 'manage')],
  'devices.read': every('VirtualDevice', 'read', 'list'),
  'devices.manage': every('VirtualDevice', 'manage'),
  'drivers.read': [...every('DeviceDriver', 'read', 'list'), ...every('DeviceTemplate', 'read', 'list')],
  'drivers.manage': [...every('DeviceDriver', 'manage'), ...every('DeviceTemplate', 'manage')],
  'dashboards.read': every('Dashboards', 'read', 'list'),
  'dashboards.manage': every('Dashboards', 'manage'),
  'facility.read': [
    ...every('IsFmAccess', 'read', 'list'),
    ...every('IsFmTicket', 'read', 'list'),
    ...every('IsWarnapp', 'read', 'list'),
    ...every('IsAssetMgmt', 'read', 'list'),
  ],
  'facility.manage': [
    ...every('IsFmAccess', 'manage'),
    ...every('IsFmTicket', 'manage'),
    ...every('IsWarnapp', 'manage'),
    ...every('IsAssetMgmt', 'manage'),
  ],
  'accounts.read': every('UserManagement', 'read', 'list'),
  'accounts.manage': every('UserManagement', 'manage'),
  all: every('all', 'manage'),
} as const satisfies Record<string, readonly Permission[]>
export type PermissionScope = keyof typeof permissionScopes

/**
 * Identity data an application can read about a user: an id, the name, the address, and the role in Grafana, which
 * only users with one get.
 */
export const identityScopes = ['openid', 'profile', 'email', 'grafana'] as const

/** The claim `role` of the scope `grafana`; each includes the ones before it. */
export const grafanaRoles = ['Viewer', 'Editor', 'Admin'] as const
export type GrafanaRole = (typeof grafanaRoles)[number]

export const applicationScopes = [
  ...identityScopes,
  'twins.read',
  'twins.manage',
  'devices.read',
  'devices.manage',
  'drivers.read',
  'drivers.manage',
  'dashboards.read',
  'dashboards.manage',
  'facility.read',
  'facility.manage',
  'accounts.read',
  'accounts.manage',
  'all',
] as const satisfies readonly (PermissionScope | (typeof identityScopes)[number])[]
export const ApplicationScope = z.enum(applicationScopes)
export type ApplicationScope = z.infer<typeof ApplicationScope>

/** Loopback hosts: desktop applications briefly listen there for the redirect. */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether a text is a valid redirect URI: https, or http on loopback; without a fragment. */
export function isRedirectUri(text: string): boolean {
  const url = URL.parse(text)
  if (!url || text.includes('#') || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || isLoopback(text)
}

/** Whether the address is http on loopback. */
export function isLoopback(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && loopback.has(url.hostname)
}

export const redirectUrisMax = 20

export const ApplicationKind = z.enum(['confidential', 'public'])

export const Application = z.object({
  id: Id,
  accountId: Id,
  /** identifies the application */
  clientId: z.string(),
  title: z.string(),
  description: z.string(),
  icon: z.string().nullable(),
  homepage: z.string().nullable(),
  /** confidential: a server that can keep a secret; public: runs where it cannot */
  kind: ApplicationKind,
  /** the beginning of the secret */
  secretPrefix: z.string().nullable(),
  secretAt: Time.nullable(),
  redirectUris: z.array(z.string()),
  scopes: z.array(ApplicationScope),
  /** number of users who have granted it permissions */
  users: z.int(),
  lastUsedAt: Time.nullable(),
  createdBy: z.string(),
  createdAt: Time,
  version: z.int(),
})
export type Application = z.infer<typeof Application>

export const ApplicationInput = z.object({
  title: Title,
  description: Text.default(''),
  icon: z.string().max(50).nullable().default(null),
  homepage: WebAddress.refine((text) => /^https:/i.test(text), 'must start with https://')
    .nullable()
    .default(null),
  redirectUris: z
    .array(z.string().trim().max(500).refine(isRedirectUri, 'https, or http to localhost'))
    .min(1)
    .max(redirectUrisMax),
  scopes: z.array(ApplicationScope).min(1).max(applicationScopes.length),
})

/** An application with its secret, which is shown only once; public ones have none. */
const WithSecret = z.object({ application: Application, secret: z.string().nullable() })

const manage = may('UserManagement', 'manage')

/** An application that may act for the caller. */
export const GrantedApplication = z.object({
  id: Id,
  title: z.string(),
  description: z.string(),
  icon: z.string().nullable(),
  homepage: z.string().nullable(),
  accountName: z.string(),
  scopes: z.array(ApplicationScope),
  grantedAt: Time,
  lastUsedAt: Time.nullable(),
  lastUsedIp: z.string(),
})
export type GrantedApplication = z.infer<typeof GrantedApplication>

/**
 * Applications that sign users in with the platform and act for them with the permissions they granted: OAuth
 * 2 and OpenID Connect below `/oauth2`, see docs/applications.md. An application acts only in its account and
 * in those below it.
 */
export const application = {
  list: operation
    .meta({ rule: may('UserManagement', 'read', 'manage') })
    .route({ method: 'GET', path: '/application', tags: ['applications'], summary: 'Applications' })
    .input(
      z.object({
        ...Paging,
        accountIds: listOf(Id).optional(),
        search: z.string().max(200).optional(),
        orderBy: orderBy(['title', 'createdAt', 'lastUsedAt', 'users']).default('title'),
      }),
    )
    .output(pageOf(Application)),
  create: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/application',
      tags: ['applications'],
      summary: 'Add an application',
      successStatus: 201,
    })
    .input(ApplicationInput.extend({ accountId: Id, kind: ApplicationKind }))
    .output(WithSecret),
  /** Scopes that are removed are also revoked at once for existing tokens. */
  update: operation
    .meta({ rule: manage, changes: 'rights' })
    .route({
      method: 'PUT',
      path: '/application/{id}',
      tags: ['applications'],
      summary: 'Change an application',
    })
    .input(ApplicationInput.extend({ id: Id, version: Version }))
    .output(Application),
  /** Creates a new secret; the old one is revoked at once, tokens remain valid. */
  rotate: operation
    .meta({ rule: manage, changes: 'rights' })
    .route({
      method: 'POST',
      path: '/application/{id}/rotate',
      tags: ['applications'],
      summary: 'Replace the secret of an application',
    })
    .input(z.object({ id: Id, version: Version }))
    .output(WithSecret),
  /** Revokes all its tokens. */
  delete: operation
    .meta({ rule: manage, changes: 'rights' })
    .route({
      method: 'DELETE',
      path: '/application/{id}',
      tags: ['applications'],
      summary: 'Delete an application',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Applications that may act for the caller, most recently used first. */
  granted: operation
    .meta({ rule: 'session' })
    .route({
      method: 'GET',
      path: '/user/application',
      tags: ['applications'],
      summary: 'Applications that act for me',
    })
    .input(z.object({ ...Paging }))
    .output(pageOf(GrantedApplication)),
  /** Revokes the caller's grant for an application; all its tokens for the caller are revoked. */
  revoke: operation
    .meta({ rule: 'session', changes: 'rights' })
    .route({
      method: 'DELETE',
      path: '/user/application/{id}',
      tags: ['applications'],
      summary: 'Stop an application from acting for me',
    })
    .input(z.object({ id: Id }))
    .output(Done),
}

const Request = z.string().regex(/^[\w-]{20,64}$/)

/** The consent of a user before an application may act for them. */
export const oauth = {
  /** A sign-in request started in this browser. */
  request: operation
    .meta({ rule: 'session' })
    .route({
      method: 'GET',
      path: '/oauth/request/{request}',
      tags: ['applications'],
      summary: 'What an application asks for',
    })
    .input(z.object({ request: Request }))
    .output(
      z.object({
        title: z.string(),
        description: z.string(),
        icon: z.string().nullable(),
        homepage: z.string().nullable(),
        accountName: z.string(),
        /** host that the browser returns to */
        returnsTo: z.string(),
        scopes: z.array(ApplicationScope),
        /** the caller has already granted all of this and need not be asked again */
        allowedBefore: z.boolean(),
        /** the caller has permissions where the application acts; otherwise the request can only be denied */
        withinReach: z.boolean(),
        /** a role in Grafana is asked for and the caller has none: the request can only be denied */
        hasNoRole: z.boolean(),
      }),
    ),
  /**
   * Grants or denies the request; the browser then goes to `returnTo`, which leads back to the application.
   */
  decide: operation
    .meta({ rule: 'session', changes: 'rights' })
    .route({
      method: 'POST',
      path: '/oauth/request/{request}',
      tags: ['applications'],
      summary: 'Allow or refuse what an application asks for',
    })
    .input(z.object({ request: Request, allow: z.boolean() }))
    .output(z.object({ returnTo: z.string() })),
}

/** Passes a session on to another window or program of the same user. */
export const exchange = {
  /** A code that works once, for 60 seconds, while the caller's session is valid. */
  code: operation
    .meta({ rule: 'session', clientTimeoutMs: 5_000 })
    .route({
      method: 'POST',
      path: '/auth/exchange-code',
      tags: ['auth'],
      summary: 'Make a code that begins a session elsewhere',
    })
    .output(z.object({ exchangeCode: z.string(), expiresAt: Time })),
  /**
   * Starts a session for the user who created the code. The response is that of a sign-in; no cookie is set.
   */
  token: operation
    .meta({ rule: 'public', guessed: true, clientTimeoutMs: 5_000 })
    .route({
      method: 'POST',
      path: '/auth/exchange-token',
      tags: ['auth'],
      summary: 'Begin a session with a code',
    })
    .input(z.object({ exchange_code: z.string().min(1).max(200) }))
    .output(
      z.object({
        token: z.string(),
        expiresAt: Time,
        user: SessionUser,
        access: SessionAccess,
        needsTwoFactor: z.boolean(),
      }),
    ),
}
