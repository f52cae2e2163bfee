import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import { recordActivity } from '../activity/index.ts'
import type { BegunSession, SecondFactor, Sessions } from '../people/index.ts'
import { demandProof, insertInvited, noteLogin } from '../people/index.ts'
import {
  changeAccess,
  described,
  type Holder,
  Rights,
  readAccess,
  readScopeTree,
  rightsGained,
} from '../rights/index.ts'
import type { Waiting } from './attempt.ts'
import { type Claims, hasFactor, mappedAccess, profileOf } from './claims.ts'
import { prefixOf, SsoFailure } from './provider.ts'
import {
  type ClientRow,
  hasIdentity,
  insertIdentity,
  type KnownUser,
  lockClient,
  lockSubject,
  scopesOfTree,
  touchIdentity,
  userBySubject,
  usersByEmail,
} from './store.ts'

export interface From {
  ip: string
  userAgent: string
}

/** Signed in, or our second factor is still required. */
export type Outcome =
  | { kind: 'session'; session: BegunSession; userId: number }
  | { kind: 'code'; waiting: Omit<Waiting, 'until'> }

/**
 * Maps a person authenticated by a provider to a user of the account.
 *
 * The owner of a provider could make it authenticate anyone. So a provider is trusted only for what an
 * administrator of its account could do anyway: users of the account and of those below it whose rights do
 * not exceed that. This is checked at every sign-in, because users may gain rights later. A person is
 * recognised by the provider's identifier (`sub`), never by an address alone, since addresses are reassigned.
 */
export class SsoLogin {
  readonly #ctx: Pick<Context, 'db' | 'clock'>
  readonly #sessions: Sessions
  readonly #factor: SecondFactor

  constructor(ctx: Pick<Context, 'db' | 'clock'>, sessions: Sessions, factor: SecondFactor) {
    this.#ctx = ctx
    this.#sessions = sessions
    this.#factor = factor
  }

  /**
   * Finds, links or creates the user and begins the session.
   * @throws SsoFailure
   */
  async finish(client: ClientRow, subject: string, claims: Claims, from: From): Promise<Outcome> {
    const outcome = await this.#ctx.db
      .transaction()
      .execute(async (tx): Promise<Outcome | { kind: 'unassigned'; userId: number }> => {
        await lockSubject(tx, client.id, subject)
        const known = await userBySubject(tx, client.id, subject)
        const user = known ?? (await this.#bind(tx, client, subject, claims, from.ip))
        if (!user.active) throw new SsoFailure('AUTH_USER_DEACTIVATED', 'the user is deactivated')
        const bound = await boundOf(tx, client)
        await requireWithin(tx, client, user, bound)
        if (client.mapEveryTime) await this.#map(tx, client, user, claims, bound, from.ip)
        // Not thrown, so that the removal of the roles is committed and applies to open sessions.
        if (!(await hasRole(tx, user))) return { kind: 'unassigned', userId: user.id }
        const byProvider = hasFactor(claims, client.secondFactor)
        if (!byProvider && (await this.#factor.isEnabled(user.id, tx)))
          return { kind: 'code', waiting: { clientId: client.id, subject, userId: user.id } }
        const session = await this.#begin(tx, client, subject, user, from, byProvider)
        return { kind: 'session', session, userId: user.id }
      })
      .catch((cause: unknown) => {
        // Expected conflicts, not server errors: a deleted role, or a name taken concurrently.
        const refused = cause instanceof AppError ? cause.code : violatedUnique(cause)
        if (refused === undefined) throw cause
        throw new SsoFailure(`${prefixOf(client)}_USER_NOT_CREATABLE`, refused, { cause })
      })
    this.#sessions.forgetUsers([outcome.kind === 'code' ? outcome.waiting.userId : outcome.userId])
    if (outcome.kind === 'unassigned') throw unassigned()
    return outcome
  }

  /**
   * Continues after our second factor.
   * @throws AppError 2FA_TOKEN_FAILURE, AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS, SSO_ATTEMPT_ENDED, SsoFailure
   */
  async confirm(
    waiting: Waiting,
    code: string,
    from: From,
  ): Promise<{ session: BegunSession; userId: number }> {
    const { db } = this.#ctx
    const { userId, subject } = waiting
    await demandProof(this.#ctx, userId, '2FA_TOKEN_FAILURE', () =>
      db.transaction().execute(async (tx) => (await this.#factor.accept(tx, userId, code, from.ip)) !== null),
    )
    const session = await db.transaction().execute(async (tx) => {
      // Client and user may have changed since the provider's response.
      const client = await lockClient(tx, waiting.clientId)
      const user = client && (await userBySubject(tx, client.id, subject))
      if (!client || user?.id !== userId) throw new AppError('SSO_ATTEMPT_ENDED')
      if (!user.active) throw new AppError('AUTH_USER_DEACTIVATED')
      await requireWithin(tx, client, user, await boundOf(tx, client))
      if (!(await hasRole(tx, user))) throw unassigned()
      return this.#begin(tx, client, subject, user, from, false)
    })
    this.#sessions.forgetUsers([userId])
    return { session, userId }
  }

  async #begin(
    tx: Executor,
    client: ClientRow,
    subject: string,
    user: KnownUser,
    from: From,
    factorByProvider: boolean,
  ): Promise<BegunSession> {
    // The client was changed or deleted in the meantime, so the response does not belong to it.
    const current = await lockClient(tx, client.id)
    if (current?.version !== client.version)
      throw new SsoFailure(
        `${prefixOf(client)}_AUTH_CODE_NOT_RETRIEVABLE`,
        'the client was changed in the meantime',
      )
    const at = this.#ctx.clock.now()
    await touchIdentity(tx, client.id, subject, at)
    await noteLogin(tx, user.id, at)
    await recordActivity(
      tx,
      { userId: user.id, name: user.username, ip: from.ip },
      {
        action: 'login',
        ...aboutUser(user),
        changes: { with: client.title, kind: client.kind },
        isChange: false,
      },
    )
    const begun = { userId: user.id, ...from, ssoClientId: client.id, factorByProvider }
    return this.#sessions.begin(tx, begun)
  }

  /** Handles an unknown person: links the user with the same address, creates a user, or refuses. */
  async #bind(
    tx: Executor,
    client: ClientRow,
    subject: string,
    claims: Claims,
    ip: string,
  ): Promise<KnownUser> {
    const { clock } = this.#ctx
    const prefix = prefixOf(client)
    const profile = profileOf(claims, client.settings.fields)
    const { email } = profile
    const unknown = (reason: string) => new SsoFailure(`${prefix}_USER_NOT_FOUND`, reason)
    const refuse = (reason: string) => new SsoFailure(`${prefix}_USER_NOT_CREATABLE`, reason)
    if (email === null) throw client.createUsers ? refuse('no e-mail address') : unknown('no e-mail address')
    const namesakes = await usersByEmail(tx, email)
    const [namesake] = namesakes
    if (namesake) {
      // Without user creation the same error is returned as for unknown users, to not reveal who exists.
      const reason = await this.#whyNotLinked(tx, client, namesakes, email, profile.emailVerified)
      if (reason !== null) throw client.createUsers ? refuse(reason) : unknown(reason)
      await insertIdentity(tx, { clientId: client.id, subject, userId: namesake.id, at: clock.now() })
      await note(tx, client, ip, { action: 'link', ...aboutUser(namesake), changes: { subject } })
      return namesake
    }
    if (!client.createUsers) throw unknown('nobody has this address')
    if (profile.emailVerified === false || (profile.emailVerified === null && !client.trustEmails))
      throw refuse('the address is not verified')
    return this.#create(tx, client, subject, claims, { ...profile, email }, ip)
  }

  /** @returns null when the only user with this address may be linked to the provider's */
  async #whyNotLinked(
    tx: Executor,
    client: ClientRow,
    namesakes: readonly (KnownUser & { email: string })[],
    email: string,
    emailVerified: boolean | null,
  ): Promise<string | null> {
    const [user] = namesakes
    if (!user || namesakes.length > 1 || user.email.toLowerCase() !== email.toLowerCase())
      return 'the address belongs to another user'
    if (!client.linkUsers) return 'the address is taken, and users are not linked'
    if (emailVerified !== true) return 'the provider does not say that the address is verified'
    // The user is already linked to another person: the address was probably reassigned.
    if (await hasIdentity(tx, client.id, user.id))
      return 'the user is bound to another person of the provider'
    const bound = await boundOf(tx, client)
    return (await isWithin(tx, client, user, bound)) ? null : 'the user belongs elsewhere or may do more'
  }

  async #create(
    tx: Executor,
    client: ClientRow,
    subject: string,
    claims: Claims,
    profile: { email: string; firstName: string; lastName: string },
    ip: string,
  ): Promise<KnownUser> {
    const access = mappedAccess(claims, client.mappings, client.fallback)
    if (access.length === 0)
      throw new SsoFailure(`${prefixOf(client)}_USER_NOT_CREATABLE`, 'no role is mapped')
    const { email, firstName, lastName } = profile
    const user = { username: email, email, firstName, lastName }
    const data = { ...user, phone: '', mobile: '', active: true, properties: {} }
    const id = await insertInvited(tx, client.accountId, data)
    const bound = await boundOf(tx, client)
    const { after } = await changeAccess(tx, id, access, bound, await scopesOfTree(tx, client.accountId))
    await insertIdentity(tx, { clientId: client.id, subject, userId: id, at: this.#ctx.clock.now() })
    const created = { id, accountId: client.accountId, username: email, active: true }
    const changes = { ...user, access: described(after), subject }
    await note(tx, client, ip, { action: 'create', ...aboutUser(created), changes })
    return created
  }

  /** Sets the roles from the current claims; roles given manually in the account are removed. */
  async #map(
    tx: Executor,
    client: ClientRow,
    user: KnownUser,
    claims: Claims,
    bound: Holder,
    ip: string,
  ): Promise<void> {
    const wanted = mappedAccess(claims, client.mappings, client.fallback)
    const keyOf = ({ scopeId, roleId, isMain }: { scopeId: number; roleId: number; isMain: boolean }) =>
      `${scopeId}:${roleId}:${isMain}`
    const present = (await readAccess(tx, user.id)).map(keyOf).sort()
    if (present.join() === wanted.map(keyOf).sort().join()) return
    const inCharge = await scopesOfTree(tx, client.accountId)
    const { before, after } = await changeAccess(tx, user.id, wanted, bound, inCharge)
    const changes = { access: [described(before), described(after)] }
    await note(tx, client, ip, { action: 'update', ...aboutUser(user), changes })
  }
}

/** The rights of an administrator of a client's account, the upper bound for its provider. */
export async function boundOf(tx: Executor, { scopeId }: Pick<ClientRow, 'scopeId'>): Promise<Rights> {
  const everything = {
    scopeId,
    isMain: true,
    rules: [{ subject: 'all' as const, actions: ['manage' as const] }],
  }
  return new Rights(await readScopeTree(tx, [scopeId]), [everything])
}

async function isWithin(tx: Executor, client: ClientRow, user: KnownUser, bound: Holder): Promise<boolean> {
  const access = await readAccess(tx, user.id)
  if ((await rightsGained(tx, [], access, bound)) !== null) return false
  const accounts = new Set((await readScopeTree(tx, [client.scopeId])).map(({ accountId }) => accountId))
  return accounts.has(user.accountId)
}

/**
 * @throws SsoFailure when the user has left the account or has more rights than the provider is trusted for
 */
async function requireWithin(tx: Executor, client: ClientRow, user: KnownUser, bound: Holder): Promise<void> {
  if (!(await isWithin(tx, client, user, bound)))
    throw new SsoFailure('SSO_USER_MAY_DO_MORE', 'the user belongs elsewhere or may do more')
}

async function hasRole(tx: Executor, { id }: { id: number }): Promise<boolean> {
  return (await readAccess(tx, id)).length > 0
}

function unassigned(): SsoFailure {
  return new SsoFailure('AUTH_USER_UNASSIGNED_TENANT_OR_SCOPE', 'the user has no role')
}

function aboutUser({ id, username, accountId }: KnownUser) {
  return { subject: 'User', objectId: id, objectTitle: username, accountId }
}

/** Logs the changes of a sign-in with the provider as the actor. */
async function note(
  tx: Executor,
  client: ClientRow,
  ip: string,
  entry: Parameters<typeof recordActivity>[2],
): Promise<void> {
  await recordActivity(tx, { userId: null, name: `single sign-on: ${client.title}`, ip }, entry)
}
