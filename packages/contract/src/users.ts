import * as z from 'zod'
import { UserProperties } from './auth.ts'
import { Done, Id, listOf, operation, orderBy, Paging, pageOf, Time, Version } from './common.ts'
import { errorCatalogue } from './errors.ts'
import { may } from './permissions.ts'
import { AccessEntry, AccessList, RoleName } from './roles.ts'

const Name = z.string().trim().max(100)
const Phone = z.string().trim().max(50)
/**
 * The same rule as in browsers, so hosts without a dot are valid; no commas or semicolons, which separate
 * addresses.
 */
const Email = z
  .email({ pattern: z.regexes.html5Email })
  .max(200)
  .regex(/^[^,;]+$/)
const usernameLengthMax = 200
/** Some characters become longer when names are normalised for comparison. */
const Username = z
  .string()
  .trim()
  .min(1)
  .max(usernameLengthMax)
  .refine((name) => name.normalize('NFKC').trim().length <= usernameLengthMax)
  .refine((name) => name.normalize('NFKC').trim() !== '')

/** Editable master data of a user. */
export const UserInput = z.object({
  username: Username,
  email: Email,
  firstName: Name.default(''),
  lastName: Name.default(''),
  phone: Phone.default(''),
  mobile: Phone.default(''),
  active: z.boolean().default(true),
  properties: UserProperties.default({}),
})

/** One row of a list of new users; the user name defaults to the e-mail address. */
export const NewUserRow = UserInput.omit({ active: true, username: true }).extend({
  username: Username.optional(),
  firstName: Name.min(1),
  lastName: Name.min(1),
  /** of this user instead of those of the whole list */
  access: AccessList.optional(),
})
export type NewUserRow = z.infer<typeof NewUserRow>

export const UserListItem = z.object({
  id: Id,
  accountId: Id,
  accountName: z.string(),
  username: z.string(),
  /** empty for administrators of parent accounts that the caller cannot see */
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  active: z.boolean(),
  /** has not set a password yet */
  invited: z.boolean(),
  lockedUntil: Time.nullable(),
  lastLoginAt: Time.nullable(),
  /** belongs to a parent account and administers this one */
  parentAdmin: z.boolean(),
  /** without duplicates, by name */
  roles: z.array(RoleName),
})
export type UserListItem = z.infer<typeof UserListItem>

export const User = z.object({
  id: Id,
  accountId: Id,
  username: z.string(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  phone: z.string(),
  mobile: z.string(),
  active: z.boolean(),
  invited: z.boolean(),
  lockedUntil: Time.nullable(),
  lastLoginAt: Time.nullable(),
  createdAt: Time,
  properties: UserProperties,
  /** in scopes where the caller may see users */
  access: z.array(AccessEntry),
  /** number of roles in scopes that the caller cannot see */
  accessElsewhere: z.int(),
  /** false: the user has permissions that the caller lacks, so the caller cannot change this user */
  editable: z.boolean(),
  version: z.int(),
})
export type User = z.infer<typeof User>

const ErrorCodeName = z.enum(Object.keys(errorCatalogue) as [keyof typeof errorCatalogue])

/** Problems with a row, by its index in the list. */
const RowFault = z.object({
  row: z.int(),
  email: z.string(),
  code: ErrorCodeName,
  field: z.string().nullable(),
})
export type RowFault = z.infer<typeof RowFault>

/** Longer lists are sent in several requests. */
export const bulkUsersMax = 500

const createUsers = may('UserManagement', 'create')
const manageUsers = may('UserManagement', 'manage')

export const users = {
  /**
   * Users of the given accounts, by default of all that the caller sees. `parentAdmins` adds administrators
   * from parent accounts, `subAccounts` adds users of accounts below.
   */
  list: operation
    .meta({ rule: may('UserManagement', 'read', 'manage'), clientTimeoutMs: 45_000, reads: 'replica' })
    .route({ method: 'GET', path: '/user', tags: ['users'], summary: 'Users' })
    .input(
      z.object({
        ...Paging,
        accountIds: listOf(Id).optional(),
        search: z.string().max(200).optional(),
        active: z.boolean().optional(),
        parentAdmins: z.boolean().default(false),
        subAccounts: z.boolean().default(false),
        orderBy: orderBy(['username', 'email', 'lastName', 'lastLoginAt']).default('lastName'),
      }),
    )
    .output(pageOf(UserListItem)),
  get: operation
    .meta({ rule: may('UserManagement', 'read', 'manage') })
    .route({ method: 'GET', path: '/user/{id}', tags: ['users'], summary: 'A user' })
    .input(z.object({ id: Id }))
    .output(User),
  /**
   * Creates a user and sends an invitation with a link to set a password. Without `access` the user gets the default
   * roles of the account.
   */
  create: operation
    .meta({ rule: createUsers, changes: 'rights' })
    .route({ method: 'POST', path: '/user', tags: ['users'], summary: 'Create a user', successStatus: 201 })
    .input(
      UserInput.extend({ accountId: Id, access: AccessList.optional(), invite: z.boolean().default(true) }),
    )
    .output(User),
  /**
   * Deactivating a user ends the user's sessions. Callers cannot change users who have permissions they lack.
   */
  update: operation
    .meta({ rule: manageUsers, changes: 'rights' })
    .route({ method: 'PUT', path: '/user/{id}', tags: ['users'], summary: 'Change a user' })
    .input(UserInput.extend({ id: Id, version: Version, access: AccessList.optional() }))
    .output(User),
  delete: operation
    .meta({ rule: manageUsers, changes: 'rights' })
    .route({ method: 'DELETE', path: '/user/{id}', tags: ['users'], summary: 'Delete a user' })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Sends the invitation again; earlier links stop working. */
  invite: operation
    .meta({ rule: manageUsers })
    .route({
      method: 'POST',
      path: '/user/{id}/invite',
      tags: ['users'],
      summary: 'Send the invitation again',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /**
   * Reports what would be refused, without creating anything, as far as the caller may know. A name or
   * address used only by a user the caller cannot see is refused only on saving, where attempts are limited.
   */
  validate: operation
    .meta({ rule: createUsers, look: 'asks' })
    .route({ method: 'POST', path: '/user/validate', tags: ['users'], summary: 'Check new users' })
    .input(z.object({ accountId: Id, users: z.array(NewUserRow).min(1).max(bulkUsersMax) }))
    .output(z.object({ faults: z.array(RowFault) })),
  /**
   * Creates the valid users; the response lists the others. Users get the roles of their row, else those of
   * `access`, else the default roles of the account.
   */
  createMany: operation
    .meta({ rule: createUsers, clientTimeoutMs: 60_000, changes: 'rights' })
    .route({ method: 'POST', path: '/user/bulk', tags: ['users'], summary: 'Create users in bulk' })
    .input(
      z.object({
        accountId: Id,
        users: z.array(NewUserRow).min(1).max(bulkUsersMax),
        access: AccessList.optional(),
        invite: z.boolean().default(true),
      }),
    )
    .output(
      z.object({
        created: z.array(z.object({ row: z.int(), id: Id, email: z.string() })),
        faults: z.array(RowFault),
      }),
    ),
}
