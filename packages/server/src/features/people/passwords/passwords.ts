import type { PasswordPolicy } from '@leitstand/contract/signin'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { recordActivity } from '../../activity/index.ts'
import { requireUnseen } from '../../rights/index.ts'
import { demandProof } from '../attempts.ts'
import { hashPassword, passwordFits } from '../password.ts'
import { aboutUser } from '../sessions/about.ts'
import { endOtherSessions } from '../sessions/store.ts'
import { hashToken, type Sessions } from '../sessions.ts'
import { findUser, readUser, type UserRow } from '../store/users.ts'
import { changedMail, forgottenMail, languageOf } from './mails.ts'
import { passwordFault } from './policy.ts'
import {
  countTokens,
  deleteTokensOf,
  readAccountName,
  readPolicy,
  readToken,
  storePassword,
  takeToken,
} from './store.ts'
import { mailLink, tokenLastsMs } from './tokens.ts'

/** Limits mails per hour, so that no mailbox is flooded. */
const mailsPerHourMax = 3

type Person = NonNullable<Awaited<ReturnType<typeof readToken>>>

/** A user who changes their own password: no link was sent. */
export function personOfRow(user: UserRow): Person {
  return {
    id: user.id,
    accountId: user.account_id,
    username: user.username,
    email: user.email,
    firstName: user.first_name,
    lastName: user.last_name,
    properties: user.properties,
    passwordHash: user.password_hash,
    seenBy: null,
  }
}

/** Forgotten and changed passwords. */
export class Passwords {
  readonly #ctx: Context
  readonly #sessions: Sessions

  constructor(ctx: Context, sessions: Sessions) {
    this.#ctx = ctx
    this.#sessions = sessions
  }

  /**
   * Sends the link if a user has the address. Runs as a job, so that response and timing of the request are
   * the same for known and unknown addresses.
   */
  async sendLink(email: string, ip: string): Promise<void> {
    const { db, clock } = this.#ctx
    const user = await findUser(db, email)
    if (!user?.active) return
    const now = clock.now()
    await db.transaction().execute(async (tx) => {
      const since = new Date(now.getTime() - tokenLastsMs.reset)
      if ((await countTokens(tx, user.id, since)) >= mailsPerHourMax) return
      const { id, account_id: accountId } = user
      const to = { id, accountId, email: user.email, language: languageOf(user.properties) }
      await mailLink(this.#ctx, tx, to, 'reset', forgottenMail)
      const nobody = { userId: null, name: '', ip }
      await recordActivity(tx, nobody, {
        action: 'forgotPassword',
        ...(await aboutUser(tx, user.id)),
        isChange: false,
      })
    })
  }

  /**
   * Sends a user a link to set a new password, on behalf of an administrator.
   * @throws AppError TOO_MANY_REQUESTS after `mailsPerHourMax` links within an hour
   */
  async sendLinkTo(
    tx: Executor,
    user: { id: number; accountId: number; email: string; properties: unknown },
  ): Promise<void> {
    const since = new Date(this.#ctx.clock.now().getTime() - tokenLastsMs.reset)
    if ((await countTokens(tx, user.id, since)) >= mailsPerHourMax) throw new AppError('TOO_MANY_REQUESTS')
    const { id, accountId, email, properties } = user
    const to = { id, accountId, email, language: languageOf(properties) }
    await mailLink(this.#ctx, tx, to, 'reset', forgottenMail)
  }

  /** @throws AppError RESET_TOKEN_ERROR, or the code of the rule the password violates */
  async reset(token: string, password: string, ip: string): Promise<void> {
    const { db } = this.#ctx
    const person = await this.personOf(token)
    await this.#demandGood(person, password)
    const passwordHash = await hashPassword(password)
    await db.transaction().execute(async (tx) => {
      if (!(await takeToken(tx, hashToken(token)))) throw new AppError('RESET_TOKEN_ERROR')
      await requireUnseen(tx, person)
      const caller = { userId: person.id, name: person.username, ip }
      await this.#store(tx, caller, person, passwordHash, null)
    })
    this.#sessions.forgetUsers([person.id])
  }

  /**
   * @returns the new token of the session, and when the session ends
   * @throws AppError AUTH_LOGIN_PASSWORD_MISMATCH, or the code of the rule the new password violates
   */
  async change(
    caller: Caller & { sessionId: number; userId: number },
    token: string,
    oldPassword: string,
    newPassword: string,
  ): Promise<{ token: string; expiresAt: Date }> {
    const { db } = this.#ctx
    const user = await readUser(db, caller.userId)
    if (!user) throw new AppError('AUTH_TOKEN_NOT_FOUND')
    await demandProof(this.#ctx, user.id, 'AUTH_LOGIN_PASSWORD_MISMATCH', () =>
      passwordFits(user.password_hash, oldPassword),
    )
    const person = personOfRow(user)
    await this.#demandGood(person, newPassword)
    const passwordHash = await hashPassword(newPassword)
    const fresh = await db.transaction().execute(async (tx) => {
      await this.#store(tx, caller, person, passwordHash, caller.sessionId)
      return this.#sessions.rotate(tx, token, 0)
    })
    this.#sessions.forgetUsers([user.id])
    const expiresAt = await this.#sessions.expiryOf(fresh ?? token)
    return { token: fresh ?? token, expiresAt }
  }

  /** @throws AppError RESET_TOKEN_ERROR */
  async personOf(token: string): Promise<Person> {
    const person = await readToken(this.#ctx.db, hashToken(token), this.#ctx.clock.now())
    if (!person) throw new AppError('RESET_TOKEN_ERROR')
    await requireUnseen(this.#ctx.db, person)
    return person
  }

  /** The rules of the account, and what is known about the user. */
  async rulesFor(person: Person): Promise<PasswordPolicy & { own: string[] }> {
    const { db } = this.#ctx
    const { username, email, firstName, lastName, accountId } = person
    const own = [username, email, firstName, lastName, await readAccountName(db, accountId)]
    return { ...(await readPolicy(db, accountId)), own: own.filter((each) => each !== '') }
  }

  async #demandGood(person: Person, password: string): Promise<void> {
    const { own, ...policy } = await this.rulesFor(person)
    const fault = passwordFault(password, policy, own)
    if (fault) throw new AppError(fault, { ...policy })
    if (await passwordFits(person.passwordHash, password)) throw new AppError('USER_PASSWORD_UNCHANGED')
  }

  async #store(
    tx: Executor,
    caller: Pick<Caller, 'userId' | 'name' | 'ip'>,
    person: Person,
    passwordHash: string,
    keepSessionId: number | null,
  ): Promise<void> {
    // A link sent through an account's server may have been read there.
    await storePassword(tx, person.id, passwordHash, person.seenBy?.length === 0)
    await deleteTokensOf(tx, person.id)
    await endOtherSessions(tx, person.id, keepSessionId)
    await recordActivity(tx, caller, { action: 'changePassword', ...(await aboutUser(tx, person.id)) })
    await this.#ctx.mail.write(tx, changedMail, {
      accountId: person.accountId,
      recipients: [person.email],
      origin: { userId: person.id },
      addresseeId: person.id,
      language: languageOf(person.properties),
      values: {},
    })
  }
}
