import * as z from 'zod'
import { Done, Id, operation, Paging, pageOf, Time, Version } from './common.ts'

const Password = z.string().min(1).max(200)
/** Old passwords may be longer; an empty one is answered with `USER_PASSWORD_REQUIRED`. */
const NewPassword = z.string().max(128)

/** The password rules of an account; accounts inherit from the one above. */
export const PasswordPolicy = z.object({
  minLength: z.int().min(8).max(100),
  upperAndLower: z.boolean(),
  numbers: z.boolean(),
  special: z.boolean(),
})
export type PasswordPolicy = z.infer<typeof PasswordPolicy>

export const password = {
  /**
   * Sends a mail with a link to set a new password. The response does not reveal whether the address exists.
   */
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
  /** Sets a password with the token of a mail, which works once; all sessions of the user end. */
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
   * The password rules: of the user of a token, else of the caller, else the weakest of all. `own` lists
   * known data of this user that must not be the password: user name, address, names, account.
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
  /** Changes the caller's password. Other sessions end, this one continues with a new token. */
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
        /** without a password, a recent sign-in through a provider is required instead */
        hasPassword: z.boolean(),
      }),
    ),
  /**
   * Generates a secret for an authenticator app; it takes effect when `enable` has verified a code. Users
   * without a password must have signed in with single sign-on in the last ten minutes.
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
        /** base32, for manual entry */
        secret: z.string(),
        /** `otpauth://…`, for a QR code */
        uri: z.string(),
      }),
    ),
  /** Returns recovery codes, only once; each of them replaces one code. Other sessions end. */
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
  /** Creates new recovery codes; the old ones stop working. */
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
   * Removes the second factor of a user who has lost it and the recovery codes; all sessions of the user end.
   * Only for users who have no permissions that the caller lacks.
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
  /** Whether an account requires a second factor of its users and of those of the accounts below. */
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
        /** required by an account above */
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
  /** user agent of the browser or program */
  userAgent: z.string(),
  ip: z.string(),
  createdAt: Time,
  lastUsedAt: Time,
  expiresAt: Time,
  /** the session of this request */
  current: z.boolean(),
  /** set when another user acts as the user in this session */
  impersonatorName: z.string().nullable(),
  /** the other user only looks and can change nothing */
  looking: z.boolean(),
})
export type Session = z.infer<typeof Session>

export const session = {
  /** The caller's sessions, most recently used first. */
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
