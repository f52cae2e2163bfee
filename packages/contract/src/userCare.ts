import * as z from 'zod'
import { Done, Id, operation, Paging, pageOf, Version } from './common.ts'
import { may } from './permissions.ts'
import { AccessEntry, RoleName } from './roles.ts'
import { Session } from './signin.ts'
import { User } from './users.ts'

const manageUsers = may('UserManagement', 'manage')

/** A role of a user, with the names of the role and of the scope. */
const NamedAccess = AccessEntry.extend({ role: RoleName, scopeName: z.string() })
export type NamedAccess = z.infer<typeof NamedAccess>

/** How many roles of each list a preview names. */
export const moveRolesShownMax = 50

/** What moving a user to another account would change. */
export const UserMove = z.object({
  userId: Id,
  from: z.object({ id: Id, name: z.string() }),
  to: z.object({ id: Id, name: z.string() }),
  /** roles outside the account the user leaves, and inside it when they are kept; at most `moveRolesShownMax` */
  kept: z.array(NamedAccess),
  /** roles in the account the user leaves, which are removed; at most `moveRolesShownMax` */
  removed: z.array(NamedAccess),
  /** default roles of the new account; at most `moveRolesShownMax` */
  given: z.array(NamedAccess),
  /** roles in scopes the caller does not see; they are kept */
  elsewhere: z.int(),
  /** the account requires a second factor and the user has none */
  needsTwoFactor: z.boolean(),
  /** other terms of use apply: the user has to accept them */
  needsConsent: z.boolean(),
  /** identities of providers of an account that the user leaves, which no longer sign the user in */
  signOns: z.int(),
})
export type UserMove = z.infer<typeof UserMove>

/** `replace`: the roles in the account the user leaves give way to the default roles of the new one. */
const MoveRoles = z.enum(['keep', 'replace']).default('replace')

/** Help for users who cannot sign in, and moving them. Callers cannot do this to users who may do more than they. */
export const userCare = {
  /** Lifts the lock after wrong passwords and codes, for every browser and network. */
  unlock: operation
    .meta({ rule: manageUsers })
    .route({ method: 'POST', path: '/user/{id}/unlock', tags: ['users'], summary: 'Unlock a user' })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Sends a link to set a new password, at most three an hour. The password is valid until the link is used. */
  sendResetLink: operation
    .meta({ rule: manageUsers })
    .route({
      method: 'POST',
      path: '/user/{id}/passwordreset',
      tags: ['users'],
      summary: 'Send a user a link to set a new password',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Sessions of a user, most recently used first. */
  listSessions: operation
    .meta({ rule: manageUsers })
    .route({ method: 'GET', path: '/user/{id}/session', tags: ['users'], summary: 'Sessions of a user' })
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(Session)),
  endSession: operation
    .meta({ rule: manageUsers, changes: 'rights' })
    .route({
      method: 'DELETE',
      path: '/user/{id}/session/{sessionId}',
      tags: ['users'],
      summary: 'End a session of a user',
    })
    .input(z.object({ id: Id, sessionId: Id }))
    .output(Done),
  /** Ends all sessions of a user; for the caller, all but the current one. */
  endSessions: operation
    .meta({ rule: manageUsers, changes: 'rights' })
    .route({
      method: 'DELETE',
      path: '/user/{id}/session',
      tags: ['users'],
      summary: 'End all sessions of a user',
    })
    .input(z.object({ id: Id }))
    .output(z.object({ ended: z.int() })),
  /** What `move` would change. */
  previewMove: operation
    .meta({ rule: manageUsers })
    .route({
      method: 'GET',
      path: '/user/{id}/account',
      tags: ['users'],
      summary: 'What moving a user would change',
    })
    .input(z.object({ id: Id, accountId: Id, roles: MoveRoles }))
    .output(UserMove),
  /**
   * Moves a user to another account, whose terms, password rules and mail server then apply. The caller must
   * manage users in the account the user leaves and create users in the new one.
   */
  move: operation
    .meta({ rule: manageUsers, changes: 'rights' })
    .route({ method: 'PUT', path: '/user/{id}/account', tags: ['users'], summary: 'Move a user' })
    .input(z.object({ id: Id, version: Version, accountId: Id, roles: MoveRoles }))
    .output(User),
}
