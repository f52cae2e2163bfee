import { createHash } from 'node:crypto'
import type { SessionAccess, SessionUser } from '@leitstand/contract'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import { recordActivity } from '../activity/index.ts'
import type { Rights } from '../rights/index.ts'
import type { FailedAttempt, SignInFailures } from './failures/index.ts'
import { counterOf, rememberOrigin } from './known.ts'
import { loginName } from './loginName.ts'
import { passwordFits } from './password.ts'
import type { Sessions } from './sessions.ts'
import {
  type Attempt,
  type Counter,
  clearAttempts,
  deleteOldUnknown,
  releaseAttempt,
  reserveAttempt,
} from './store/attempts.ts'
import { findUser, noteLogin, type UserRow } from './store/users.ts'
import type { SecondFactor } from './twofactor/factor.ts'

export interface LoginRequest {
  username: string
  password: string
  /** six digits of the second factor, or a recovery code */
  code?: string | undefined
  ip: string
  userAgent: string
  /** the cookie of a browser that was used to sign in before */
  deviceToken: string | null
}

/** What the user is told; the reason itself is for administrators. */
const codes = {
  password: 'AUTH_LOGIN_PASSWORD_MISMATCH',
  unknown: 'AUTH_LOGIN_PASSWORD_MISMATCH',
  factor: '2FA_TOKEN_FAILURE',
  locked: 'AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS',
  deactivated: 'AUTH_USER_DEACTIVATED',
  unassigned: 'AUTH_USER_UNASSIGNED_TENANT_OR_SCOPE',
} as const satisfies Partial<Record<FailedAttempt['reason'], string>>

/** Mails a user about a lock of their sign-in. */
export const lockedQueue = 'access.locked'

export class Login {
  readonly #ctx: Pick<Context, 'db' | 'clock' | 'jobs'>
  readonly #sessions: Sessions
  readonly #factor: SecondFactor
  readonly #failures: Pick<SignInFailures, 'note'>

  constructor(
    ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
    sessions: Sessions,
    factor: SecondFactor,
    failures: Pick<SignInFailures, 'note'>,
  ) {
    this.#ctx = ctx
    this.#sessions = sessions
    this.#factor = factor
    this.#failures = failures
  }

  /**
   * Signs in with user name or e-mail and password.
   * @throws AppError AUTH_LOGIN_PASSWORD_MISMATCH, AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS, AUTH_USER_DEACTIVATED,
   *   AUTH_USER_UNASSIGNED_TENANT_OR_SCOPE, 2FA_TOKEN_REQUIRED, 2FA_TOKEN_FAILURE, OVERLOADED
   */
  async signIn(request: LoginRequest): Promise<{
    token: string
    expiresAt: Date
    user: UserRow
    rights: Rights
    device: { token: string; expiresAt: Date }
  }> {
    const { db, clock } = this.#ctx
    const user = await findUser(db, request.username)
    const refused = (reason: keyof typeof codes) => {
      this.#failures.note({ name: request.username, ip: request.ip, userId: user?.id, reason })
      return new AppError(codes[reason])
    }
    const { counter, attempt } = await this.#count(user, request)
    if (attempt === 'locked') throw refused('locked')
    const fits = await passwordFits(user?.password_hash ?? null, request.password).catch(
      async (error: unknown) => {
        // Nothing was compared, so this does not count as an attempt.
        await releaseAttempt(db, counter)
        throw error
      },
    )
    if (!fits && attempt === 'last') await this.#noteLock(user, request.ip)
    if (!user) throw refused('unknown')
    if (!fits) throw refused('password')
    if (!user.active) throw refused('deactivated')
    const rights = await this.#sessions.rightsOf(user.id)
    if (rights.grants.length === 0) throw refused('unassigned')

    const withFactor = await this.#factor.isEnabled(user.id)
    if (withFactor && !request.code) {
      // The password was correct, so this does not count as a failed attempt.
      await releaseAttempt(db, counter)
      throw new AppError('2FA_TOKEN_REQUIRED')
    }
    const session = await db.transaction().execute(async (tx) => {
      const code = withFactor
        ? await this.#factor.accept(tx, user.id, request.code ?? '', request.ip)
        : undefined
      if (code === null) return null
      await noteLogin(tx, user.id, clock.now())
      await clearAttempts(tx, counter)
      const device = await rememberOrigin(tx, user.id, request, clock.now())
      await this.#note(tx, 'login', user, request.ip, code === 'recoveryCode' ? { with: code } : undefined)
      const begun = { userId: user.id, ip: request.ip, userAgent: request.userAgent }
      return { ...(await this.#sessions.begin(tx, begun)), device }
    })
    if (session) return { ...session, user, rights }
    if (attempt === 'last') await this.#noteLock(user, request.ip)
    throw refused('factor')
  }

  /** Counts an attempt before its password is checked. */
  async #count(
    user: UserRow | undefined,
    request: LoginRequest,
  ): Promise<{ counter: Counter; attempt: Attempt }> {
    const { db, clock } = this.#ctx
    const now = clock.now()
    // Unknown names are counted and locked like real ones, so that a lock does not reveal which users exist.
    const nameHash = createHash('sha256').update(loginName(request.username)).digest()
    const counter: Counter = user ? await counterOf(db, user.id, request, now) : { kind: 'unknown', nameHash }
    const attempt = await reserveAttempt(db, counter, now)
    if (attempt !== undefined) return { counter, attempt }
    // A concurrent password change forgot the browser or network: count as a stranger.
    const stranger: Counter = user ? { kind: 'stranger', userId: user.id } : { kind: 'unknown', nameHash }
    const second = await reserveAttempt(db, stranger, now)
    if (second === undefined) throw new AppError('AUTH_LOGIN_PASSWORD_MISMATCH')
    return { counter: stranger, attempt: second }
  }

  /** A job writes the mail, and unknown names get a job too, so that both take the same time. */
  async #noteLock(user: UserRow | undefined, ip: string): Promise<void> {
    const { db, clock, jobs } = this.#ctx
    if (user) await this.#note(db, 'lock', user, ip)
    else await deleteOldUnknown(db, clock.now())
    await jobs.send(db, lockedQueue, { userId: user?.id ?? null, ip })
  }

  async #note(
    tx: Executor,
    action: 'login' | 'lock',
    user: UserRow,
    ip: string,
    changes?: object,
  ): Promise<void> {
    const caller = { userId: user.id, name: user.username, ip }
    const about = {
      subject: 'User',
      objectId: user.id,
      objectTitle: user.username,
      accountId: user.account_id,
    }
    await recordActivity(tx, caller, { action, ...about, changes, isChange: false })
  }
}

/** The user as the console sees it. Lists the fields, so that new columns are not exposed. */
export function toSessionUser(user: UserRow): SessionUser {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    firstName: user.first_name,
    lastName: user.last_name,
    accountId: user.account_id,
    properties: user.properties as SessionUser['properties'],
  }
}

/** The rights of a user as the console sees them. */
export function toSessionAccess(rights: Rights): SessionAccess {
  const byId = new Map(rights.scopes.map((scope) => [scope.id, scope]))
  const primary = [...new Set(rights.grants.map(({ scopeId }) => scopeId))]
  const managed = new Set(rights.scopeIds('all', 'manage'))
  const topMost = [...managed].filter((id) => {
    const scope = byId.get(id)
    return scope?.twinId === null && (scope.parentId === null || !managed.has(scope.parentId))
  })
  const accountsOf = (ids: readonly number[]) => [
    ...new Set(ids.map((id) => byId.get(id)?.accountId).filter((id) => id !== undefined)),
  ]
  return {
    primaryScopeIds: primary,
    primaryTenantIds: accountsOf(primary),
    permissions: rights.permissions(),
    allManageTenantIds: accountsOf(topMost),
  }
}
