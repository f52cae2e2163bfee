import * as z from 'zod'
import { Done, Id, operation, Paging, pageOf, Time, Version } from './common.ts'

const Password = z.string().min(1).max(200)
/** Old ones may be longer; an empty one is answered with `USER_PASSWORD_REQUIRED`. */
const NewPassword = z.string().max(128)

/** What a password of an account must have; every account inherits from the one above. */
export const PasswordPolicy = z.object({
  minLength: z.int().min(8).max(100),
  upperAndLower: z.boolean(),
  numbers: z.boolean(),
  special: z.boolean(),
})
export type PasswordPolicy = z.infer<typeof PasswordPolicy>

export const password = {
  /** Sends a mail with a link to set a new password. The answer is the same whether or not anybody has the address. */
  forgot: operation
    .meta({ rule: 'public', guessed: true })
    .route({
      method: 'POST',
      path: '/user/passwordreset',
      tags: ['password'],
      summary: 'Ask for a new password',
    })
    .input(z.object({ email: z.string().trim().min(1).max(200) }))
    .output(Done),
  /** Sets a password with the token of a mail. It works once; all sessions of the user end. */
  reset: operation
    .meta({ rule: 'public', guessed: true, changes: 'rights' })
    .route({
      method: 'POST',
      path: '/user/passwordreset/update',
      tags: ['password'],
      summary: 'Set a password with a token',
    })
    .input(z.object({ token: z.string().min(1).max(200), password: NewPassword }))
    .output(Done),
  /**
   * The rules for passwords: of the user of a token, else of the caller, else the least of all. `own` is what is known of
   * this user and is no password: user name, address, names, account.
   */
  policy: operation
    .meta({ rule: 'public', guessed: true })
    .route({
      method: 'GET',
      path: '/user/passwordpolicy',
      tags: ['password'],
      summary: 'Rules for passwords',
    })
    .input(z.object({ token: z.string().max(200).optional() }))
    .output(PasswordPolicy.extend({ own: z.array(z.string()) })),
  /** Changes the own password. Other sessions end, this one goes on with a new token. */
  change: operation
    .meta({ rule: 'session', changes: 'rights' })
    .route({ method: 'POST', path: '/user/password', tags: ['password'], summary: 'Change the password' })
    .input(z.object({ oldPassword: Password, newPassword: NewPassword }))
    .output(z.object({ token: z.string(), expiresAt: Time })),
}

const Code = z.string().trim().min(6).max(20)

export const twofactor = {
  status: operation
    .meta({ rule: 'session', beforeTwoFactor: true })
    .route({ method: 'GET', path: '/user/2fa', tags: ['two-factor'], summary: 'Own second factor' })
    .output(
      z.object({
        enabled: z.boolean(),
        /** the account, or one above it, demands it */
        required: z.boolean(),
        recoveryCodesLeft: z.int(),
        /** without one a fresh sign-in through a provider stands in for it */
        hasPassword: z.boolean(),
      }),
    ),
  /**
   * Makes a secret for an authenticator app; it counts once `enable` has seen a code of it. Who has no password proves
   * who it is by a single sign-on of the last ten minutes.
   */
  setUp: operation
    .meta({ rule: 'session', beforeTwoFactor: true })
    .route({
      method: 'POST',
      path: '/user/2fa/setup',
      tags: ['two-factor'],
      summary: 'Begin with a second factor',
    })
    .input(z.object({ password: Password.optional() }))
    .output(
      z.object({
        /** base32, to be typed in */
        secret: z.string(),
        /** `otpauth://…`, to be shown as a QR code */
        uri: z.string(),
      }),
    ),
  /** Answers recovery codes, this once; each of them replaces one code. Other sessions end. */
  enable: operation
    .meta({ rule: 'session', beforeTwoFactor: true, changes: 'rights' })
    .route({
      method: 'POST',
      path: '/user/2fa/enable',
      tags: ['two-factor'],
      summary: 'Confirm the second factor',
    })
    .input(z.object({ code: Code }))
    .output(z.object({ recoveryCodes: z.array(z.string()) })),
  disable: operation
    .meta({ rule: 'session', changes: 'rights' })
    .route({
      method: 'POST',
      path: '/user/2fa/disable',
      tags: ['two-factor'],
      summary: 'Remove the second factor',
    })
    .input(z.object({ code: Code }))
    .output(Done),
  /** New recovery codes; the old ones no longer work. */
  renewCodes: operation
    .meta({ rule: 'session' })
    .route({
      method: 'POST',
      path: '/user/2fa/recovery',
      tags: ['two-factor'],
      summary: 'New recovery codes',
    })
    .input(z.object({ code: Code }))
    .output(z.object({ recoveryCodes: z.array(z.string()) })),
  /**
   * Removes the second factor of somebody who has lost it and the recovery codes; all sessions of theirs end. Only for
   * users who may do nothing the caller may not do.
   */
  reset: operation
    .meta({ rule: { any: [{ subject: 'UserManagement', action: 'manage' }] }, changes: 'rights' })
    .route({
      method: 'POST',
      path: '/user/{id}/2fa/reset',
      tags: ['two-factor'],
      summary: 'Remove the second factor of a user',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Whether an account demands a second factor of its users and of those of the accounts below. */
  ofAccount: operation
    .meta({ rule: { any: [{ subject: 'UserManagement', action: 'manage' }] } })
    .route({
      method: 'GET',
      path: '/tenant/{id}/2fa',
      tags: ['two-factor'],
      summary: 'Second factor of an account',
    })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        required: z.boolean(),
        /** an account above demands it */
        inherited: z.boolean(),
        version: Version,
      }),
    ),
  demand: operation
    .meta({ rule: { any: [{ subject: 'UserManagement', action: 'manage' }] }, changes: 'rights' })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/2fa',
      tags: ['two-factor'],
      summary: 'Demand a second factor',
    })
    .input(z.object({ id: Id, version: Version, required: z.boolean() }))
    .output(z.object({ required: z.boolean(), inherited: z.boolean(), version: Version })),
}

export const Session = z.object({
  id: Id,
  /** what the browser or program says about itself */
  userAgent: z.string(),
  ip: z.string(),
  createdAt: Time,
  lastUsedAt: Time,
  expiresAt: Time,
  /** the one this request came with */
  current: z.boolean(),
  /** somebody else acts as the user in this session */
  impersonatorName: z.string().nullable(),
})
export type Session = z.infer<typeof Session>

export const session = {
  /** Where the caller is signed in, last used first. */
  list: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/user/session', tags: ['sessions'], summary: 'Own sessions' })
    .input(z.object({ ...Paging }))
    .output(pageOf(Session)),
  end: operation
    .meta({ rule: 'session', changes: 'rights' })
    .route({ method: 'DELETE', path: '/user/session/{id}', tags: ['sessions'], summary: 'End a session' })
    .input(z.object({ id: Id }))
    .output(Done),
  endOthers: operation
    .meta({ rule: 'session', changes: 'rights' })
    .route({ method: 'DELETE', path: '/user/session', tags: ['sessions'], summary: 'End all other sessions' })
    .output(z.object({ ended: z.int() })),
}
