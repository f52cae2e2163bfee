import * as z from 'zod'
import { Done, Id, listOf, operation, orderBy, Paging, pageOf, Time, Title, Version } from './common.ts'
import { may } from './permissions.ts'
import { RoleKey } from './roles.ts'

/** Maximum calls a minute of a key. */
export const callsPerMinuteMax = 100
/** Maximum hours that a replaced key stays valid. */
export const overlapHoursMax = 168

export const ApiKey = z.object({
  id: Id,
  accountId: Id,
  title: z.string(),
  /** the beginning of the key */
  prefix: z.string(),
  callsPerMinute: z.int(),
  validFrom: Time.nullable(),
  validUntil: Time.nullable(),
  scopeId: Id,
  scopeName: z.string(),
  /** null: it is a public link, which has no role */
  roleId: Id.nullable(),
  roleName: z.string(),
  roleKey: RoleKey.nullable(),
  /** what a public link shows */
  shows: z.object({ kind: z.enum(['twin', 'dashboard']), id: Id }).nullable(),
  createdBy: z.string(),
  createdAt: Time,
  lastUsedAt: Time.nullable(),
  lastUsedIp: z.string(),
  /** until when the key before the last rotation is also valid */
  previousUntil: Time.nullable(),
  version: z.int(),
})
export type ApiKey = z.infer<typeof ApiKey>

export const ApiKeyInput = z.object({
  title: Title,
  /** above 100: `MAX_USER_API_TOKEN_LIMIT_TOO_HIGH` */
  callsPerMinute: z.int().min(1).max(1_000_000).default(callsPerMinuteMax),
  validFrom: Time.nullable().default(null),
  /** must be after the start, else `INVALID_DATE_RANGE` */
  validUntil: Time.nullable().default(null),
  scopeId: Id,
  roleId: Id,
})

/** A key with its token, which is shown only once. */
const Created = z.object({ key: ApiKey, token: z.string() })

const manage = may('UserManagement', 'manage')

/**
 * Keys for programs, sent as `x-api-key`. A key has one role on one scope, and never more permissions than
 * its creator. Public links are keys without a role: they are listed and deleted here, but not changed or rotated
 * (API_KEY_IS_LINK). Every response contains the remaining rate limit of the current minute: `X-RateLimit-Limit`,
 * `X-RateLimit-Remaining` and `X-RateLimit-Reset` (seconds); above it, 429 `API_LIMIT_REACHED` is returned.
 */
export const apikey = {
  list: operation
    .meta({ rule: may('UserManagement', 'read', 'manage') })
    .route({ method: 'GET', path: '/user/apiuser', tags: ['api keys'], summary: 'API keys' })
    .input(
      z.object({
        ...Paging,
        accountIds: listOf(Id).optional(),
        search: z.string().max(200).optional(),
        orderBy: orderBy(['title', 'createdAt', 'lastUsedAt', 'validUntil']).default('title'),
      }),
    )
    .output(pageOf(ApiKey)),
  create: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/user/apiuser',
      tags: ['api keys'],
      summary: 'Create an API key',
      successStatus: 201,
    })
    .input(ApiKeyInput)
    .output(Created),
  update: operation
    .meta({ rule: manage, changes: 'rights' })
    .route({ method: 'PUT', path: '/user/apiuser/{id}', tags: ['api keys'], summary: 'Change an API key' })
    .input(ApiKeyInput.extend({ id: Id, version: Version }))
    .output(ApiKey),
  /** Gives a key a new token; the old one stays valid for some hours, or is revoked at once. */
  rotate: operation
    .meta({ rule: manage, changes: 'rights' })
    .route({
      method: 'POST',
      path: '/user/apiuser/{id}/rotate',
      tags: ['api keys'],
      summary: 'Replace the token of an API key',
    })
    .input(
      z.object({
        id: Id,
        version: Version,
        overlapHours: z.number().min(0).max(overlapHoursMax).default(24),
      }),
    )
    .output(Created),
  delete: operation
    .meta({ rule: manage, changes: 'rights' })
    .route({
      method: 'DELETE',
      path: '/user/apiuser/{id}',
      tags: ['api keys'],
      summary: 'Delete an API key',
    })
    .input(z.object({ id: Id }))
    .output(Done),
}
