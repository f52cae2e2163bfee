import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Configuration } from 'openid-client'
import { upTo } from '../../platform/cache.ts'
import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type GuardedFetch, guardedFetch } from '../../platform/net/guardedFetch.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { requireAccount } from '../accounts/index.ts'
import { changesBetween, recordActivity } from '../activity/index.ts'
import { endSessionsOfClient, ownSelf } from '../people/index.ts'
import { readScopes, requireHeld, rightsGained, rolesUsableIn } from '../rights/index.ts'
import { boundOf } from './login.ts'
import { readFileType } from './logo.ts'
import { configure } from './provider.ts'
import {
  type ClientContent,
  type ClientRow,
  clientsOfAccountMax,
  countClients,
  deleteClient,
  findClient,
  insertClient,
  type Provider,
  type SsoKind,
  scopesBelow,
  setSecret,
  updateClient,
} from './store.ts'

/** How long a provider's discovery document and keys are cached. */
const configuredMs = 10 * 60_000
const configuredMax = 200

/** A client as entered by an administrator. */
export type ClientInput = ClientContent & Provider & { clientSecret?: string | null | undefined }

/** Clients as administrators see and change them, and the connection to their providers. */
export class SsoClients {
  readonly #ctx: Context
  readonly open: GuardedFetch
  readonly #configured = new LRUCache<string, Promise<Configuration>>({
    ...upTo(configuredMax),
    ttl: configuredMs,
  })

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.open = guardedFetch(ctx.outgoing)
  }

  /** The provider of a client, cached for a while. @throws errors of the library or of the guard */
  async configured(client: ClientRow): Promise<Configuration> {
    // Every change increments the version, so entries need no invalidation.
    const key = `${client.id} ${client.version}`
    const known = this.#configured.get(key)
    if (known) return known
    const secret = openSecret(this.#ctx.secrets, client)
    const asking = configure(client, client.clientId, secret, this.open)
    this.#configured.set(key, asking)
    // Failures are not cached.
    asking.catch(() => this.#configured.delete(key))
    return asking
  }

  /** @throws AppError TENANT_NOT_FOUND, VALIDATION_ERROR, and those of `#requireGivable` */
  async create(caller: Caller, input: ClientInput & { key?: string | undefined }): Promise<ClientRow> {
    ownSelf(caller)
    const { db, clock, secrets } = this.#ctx
    await requireLogo(input.logo)
    const id = await db
      .transaction()
      .execute(async (tx) => {
        await this.#requireGivable(tx, caller, input)
        if ((await countClients(tx, input.kind, input.accountId)) >= clientsOfAccountMax)
          throw new AppError('VALIDATION_ERROR', { clientsMax: clientsOfAccountMax })
        const key = input.key ?? randomBytes(16).toString('hex')
        const created = await insertClient(tx, { ...input, key, at: clock.now() })
        if (input.clientSecret) await setSecret(tx, created, sealSecret(secrets, created, input.clientSecret))
        const after = await this.require(tx, caller, input.kind, created)
        await note(tx, caller, 'create', after, shown(after))
        return created
      })
      .catch(orTakenKey)
    return this.require(db, caller, input.kind, id)
  }

  /** @throws AppError OIDC_CLIENT_NOT_FOUND, OAUTH2_CLIENT_NOT_FOUND, VERSION_CONFLICT, and those of `create` */
  async update(caller: Caller, id: number, version: number, input: ClientInput): Promise<ClientRow> {
    ownSelf(caller)
    const { db, clock, secrets } = this.#ctx
    await requireLogo(input.logo)
    await db.transaction().execute(async (tx) => {
      const before = await this.require(tx, caller, input.kind, id, true)
      if (before.accountId !== input.accountId)
        throw new AppError('VALIDATION_ERROR', { field: 'accountId' }, 'A client stays in its account')
      await this.#requireGivable(tx, caller, input)
      if (!(await updateClient(tx, id, version, input, clock.now()))) throw new AppError('VERSION_CONFLICT')
      const { clientSecret } = input
      if (clientSecret !== undefined)
        await setSecret(tx, id, clientSecret === null ? null : sealSecret(secrets, id, clientSecret))
      if (!input.active) await endSessionsOfClient(tx, id)
      const after = await this.require(tx, caller, input.kind, id)
      const changes = changesBetween(shown(before), shown(after))
      // Logs that the secret changed, but not its value.
      if (clientSecret) Object.assign(changes, { clientSecret: ['***', '***'] })
      await note(tx, caller, 'update', after, changes)
    })
    return this.require(db, caller, input.kind, id)
  }

  /** @throws AppError OIDC_CLIENT_NOT_FOUND, OAUTH2_CLIENT_NOT_FOUND */
  async delete(caller: Caller, kind: SsoKind, id: number): Promise<void> {
    ownSelf(caller)
    await this.#ctx.db.transaction().execute(async (tx) => {
      const client = await this.require(tx, caller, kind, id, true)
      await deleteClient(tx, id)
      await note(tx, caller, 'delete', client, { users: client.users })
    })
  }

  /** @throws AppError OIDC_CLIENT_NOT_FOUND, OAUTH2_CLIENT_NOT_FOUND when the caller does not administer its account */
  async require(db: Executor, caller: Caller, kind: SsoKind, id: number, lock = false): Promise<ClientRow> {
    const client = await findClient(db, kind, id, caller.scopeIds('all', 'manage'), lock)
    if (!client)
      throw new AppError(kind === 'oidc' ? 'OIDC_CLIENT_NOT_FOUND' : 'OAUTH2_CLIENT_NOT_FOUND', { id })
    return client
  }

  /** The secret of a client, when there is one. */
  secretOf(client: ClientRow): string | null {
    return openSecret(this.#ctx.secrets, client)
  }

  /** @throws AppError TENANT_NOT_FOUND, NO_PERMISSION */
  async requireAccount(
    db: Executor,
    caller: Caller,
    accountId: number,
  ): Promise<{ id: number; scopeId: number }> {
    const account = await requireAccount(db, accountId, caller.scopeIds('all', 'manage'))
    // A provider can sign in as any administrator of the account, so the caller needs all their rights.
    const bound = await boundOf(db, account)
    requireHeld(await rightsGained(db, [], bound.grants, caller))
    return account
  }

  /**
   * The provider decides which users get the mapped roles, so their scopes must be in the account or below
   * it, and the caller must hold all they grant.
   * @throws AppError TENANT_NOT_FOUND, SCOPE_NOT_FOUND, ABAC_ROLE_NOT_FOUND, NO_PERMISSION
   */
  async #requireGivable(tx: Executor, caller: Caller, input: ClientInput): Promise<void> {
    const account = await this.requireAccount(tx, caller, input.accountId)
    const given = [...input.mappings, ...(input.fallback ? [input.fallback] : [])]
    const scopeIds = [...new Set(given.map(({ scopeId }) => scopeId))]
    const own = await scopesBelow(tx, input.accountId, scopeIds)
    const managed = new Set(caller.scopeIds('all', 'manage'))
    const foreign = scopeIds.find((id) => !own.has(id) || !managed.has(id))
    if (foreign !== undefined) throw new AppError('SCOPE_NOT_FOUND', { id: foreign })
    const accountOf = new Map((await readScopes(tx, scopeIds)).map((scope) => [scope.id, scope.accountId]))
    const bound = await boundOf(tx, account)
    for (const { scopeId, roleId } of given) {
      const [role] = await rolesUsableIn(tx, accountOf.get(scopeId) ?? input.accountId, [roleId])
      if (!role) throw new AppError('ABAC_ROLE_NOT_FOUND', { id: roleId })
      const access = [{ scopeId, isMain: true, rules: role.rules }]
      requireHeld((await rightsGained(tx, [], access, caller)) ?? (await rightsGained(tx, [], access, bound)))
    }
  }
}

function sealSecret(secrets: Secrets, id: number, secret: string): string {
  return secrets.seal(secret, `sso client ${id}`)
}

function openSecret(secrets: Secrets, { id, secret }: Pick<ClientRow, 'id' | 'secret'>): string | null {
  return secret === null ? null : secrets.open(secret, `sso client ${id}`)
}

/** The details for the activity log; of a logo only whether there is one. */
function shown(client: ClientRow): Record<string, unknown> {
  const { title, logo, active, clientId, createUsers, linkUsers, trustEmails, mapEveryTime } = client
  const { secondFactor, mappings, fallback, settings, secret } = client
  return {
    title,
    logo: logo !== null,
    active,
    clientId,
    createUsers,
    linkUsers,
    trustEmails,
    mapEveryTime,
    secondFactor,
    mappings,
    fallback,
    settings,
    hasSecret: secret !== null,
  }
}

async function note(
  tx: Executor,
  caller: Caller,
  action: string,
  { id, title, accountId }: ClientRow,
  changes: object,
): Promise<void> {
  await recordActivity(tx, caller, {
    action,
    subject: 'SsoClient',
    objectId: id,
    objectTitle: title,
    accountId,
    changes,
  })
}

/** Checks the type by content, not by the declared media type. @throws AppError VALIDATION_ERROR */
async function requireLogo(logo: string | null): Promise<void> {
  if (logo === null) return
  const [, type = '', content = ''] = /^data:([^;]+);base64,(.*)$/.exec(logo) ?? []
  if ((await readFileType(Buffer.from(content, 'base64'))) !== type)
    throw new AppError('VALIDATION_ERROR', { field: 'logo' }, 'The logo is no picture of this kind')
}

function orTakenKey(error: unknown): never {
  if (violatedUnique(error) === undefined) throw error
  throw new AppError('VALIDATION_ERROR', { field: 'key' }, 'The key is taken')
}
