import { isLoopback } from '@leitstand/contract/applications'
import type * as oidc from 'oidc-provider'
import type { Adapter, AdapterPayload, ClientMetadata } from 'oidc-provider'
import type { Context } from '../../platform/context.ts'
import { recordActivity } from '../activity/index.ts'
import { type ClientRow, findClient } from './applications.store.ts'
import {
  consumeRecord,
  deleteGrant,
  deleteRecord,
  deleteRecordsOfGrant,
  type GrantRow,
  readGrant,
  readRecord,
  saveRecord,
} from './records.store.ts'

/** The library, loaded on the first request of the protocol. */
export type Protocol = Pick<typeof oidc, 'errors' | 'Provider'>

type Store = Pick<Context, 'db' | 'clock'> & { protocol: Protocol }

/** Lifetime of a record without its own expiry. */
const recordLastsSeconds = 24 * 3600
/** Records that end with their grant. */
const ofGrants: ReadonlySet<string> = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken'])

/**
 * Storage of the protocol. Each kind of record has its own adapter: applications and grants are rows of ours,
 * protocol sessions are not stored (every request goes through the console), and everything else is a record
 * found by the hash of its key.
 * @param seeChanges called when a token may have ended
 */
export function adapters(ctx: Store, seeChanges: () => Promise<void>): (model: string) => Adapter {
  return (model) => {
    if (model === 'Client') return new Clients(ctx)
    if (model === 'Grant') return new Grants(ctx, seeChanges)
    if (model === 'Session') return new Nothing()
    return new Records(ctx, model, seeChanges)
  }
}

/** Stores nothing. */
class Nothing implements Adapter {
  async upsert(_key: string, _payload: AdapterPayload, _expiresInSeconds?: number): Promise<void> {}
  async find(_key: string): Promise<AdapterPayload | undefined> {
    return undefined
  }
  async findByUserCode(): Promise<undefined> {}
  async findByUid(): Promise<undefined> {}
  async consume(_key: string): Promise<void> {}
  async destroy(_key: string): Promise<void> {}
  async revokeByGrantId(_grantKey: string): Promise<void> {}
}

class Records extends Nothing {
  readonly #ctx: Store
  readonly #model: string
  readonly #seeChanges: () => Promise<void>

  constructor(ctx: Store, model: string, seeChanges: () => Promise<void>) {
    super()
    this.#ctx = ctx
    this.#model = model
    this.#seeChanges = seeChanges
  }

  override async upsert(key: string, payload: AdapterPayload, expiresInSeconds = recordLastsSeconds) {
    const { db, clock } = this.#ctx
    // `jti` is the token itself.
    const { jti: _token, ...kept } = payload
    const expiresAt = new Date(clock.now().getTime() + expiresInSeconds * 1000)
    const grantKey = ofGrants.has(this.#model) ? payload.grantId : undefined
    await saveRecord(db, this.#model, key, kept, { grantKey, expiresAt })
  }

  override async find(key: string): Promise<AdapterPayload | undefined> {
    const { db, clock } = this.#ctx
    const record = await readRecord(db, this.#model, key, clock.now())
    if (!record) return undefined
    const consumed = record.consumedAt ? { consumed: toSeconds(record.consumedAt) } : {}
    return { ...record.payload, ...consumed, jti: key }
  }

  override async consume(key: string) {
    const { db, clock } = this.#ctx
    if (!(await consumeRecord(db, this.#model, key, clock.now())))
      throw new this.#ctx.protocol.errors.InvalidGrant('used already')
  }

  override async destroy(key: string) {
    await deleteRecord(this.#ctx.db, this.#model, key)
    await this.#seeChanges()
  }

  override async revokeByGrantId(grantKey: string) {
    await deleteRecordsOfGrant(this.#ctx.db, this.#model, grantKey)
    await this.#seeChanges()
  }
}

/** Grants of users: written by the consent page, read and revoked by the protocol. */
class Grants extends Nothing {
  readonly #ctx: Store
  readonly #seeChanges: () => Promise<void>

  constructor(ctx: Store, seeChanges: () => Promise<void>) {
    super()
    this.#ctx = ctx
    this.#seeChanges = seeChanges
  }

  override async upsert(): Promise<void> {
    throw new Error('grants are saved with the consent of their user')
  }

  override async find(grantKey: string): Promise<AdapterPayload | undefined> {
    const now = this.#ctx.clock.now()
    const grant = await readGrant(this.#ctx.db, grantKey, now)
    return grant && payloadOf(grant, now)
  }

  /** The application revoked its access, or a code or token was used twice. */
  override async destroy(grantKey: string) {
    await this.#ctx.db.transaction().execute(async (tx) => {
      const ended = await deleteGrant(tx, { grantKey })
      if (!ended) return
      const { userId, username, applicationId, title, accountId } = ended
      const caller = { userId, name: username, ip: this.#ctx.protocol.Provider.ctx?.ip ?? '' }
      const about = { subject: 'Application', objectId: applicationId, objectTitle: title, accountId }
      const application = { id: applicationId, name: title }
      await recordActivity(tx, { ...caller, application }, { action: 'revoke', ...about })
    })
    await this.#seeChanges()
  }
}

/** The library uses the system clock, so the remaining lifetime is converted to it. */
function payloadOf(grant: GrantRow, now: Date): AdapterPayload {
  const machineNow = Math.floor(Date.now() / 1000)
  return {
    kind: 'Grant',
    jti: grant.grantKey,
    accountId: String(grant.userId),
    clientId: grant.clientId,
    openid: { scope: [...grant.scopes, 'offline_access'].join(' ') },
    iat: machineNow,
    exp: machineNow + Math.floor((grant.expiresAt.getTime() - now.getTime()) / 1000),
  }
}

class Clients extends Nothing {
  readonly #ctx: Store

  constructor(ctx: Store) {
    super()
    this.#ctx = ctx
  }

  override async find(clientId: string): Promise<AdapterPayload | undefined> {
    const { db, protocol } = this.#ctx
    const client = await findClient(db, clientId)
    return client && { ...metadataOf(client, protocol.Provider.ctx?.headers.authorization !== undefined) }
  }
}

/**
 * An application as client metadata of the protocol.
 * @param withHeader the request has its credentials in a header; clients may send the secret either way
 */
export function metadataOf(client: ClientRow, withHeader: boolean): ClientMetadata {
  const secretMethod = withHeader ? 'client_secret_basic' : 'client_secret_post'
  const native = client.kind === 'public' && client.redirectUris.some(isLoopback)
  return {
    client_id: client.clientId,
    client_name: client.title,
    // Native applications may use any port of the loopback address.
    application_type: native ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    response_modes: ['query'],
    redirect_uris: client.redirectUris,
    // Some libraries always request `offline_access`; refresh tokens are issued without it, too.
    scope: [...client.scopes, 'offline_access'].join(' '),
    id_token_signed_response_alg: 'RS256',
    ...(client.secretHash
      ? // Only the hash is known; see `compareClientSecret` in provider.ts.
        { client_secret: client.secretHash.toString('hex'), token_endpoint_auth_method: secretMethod }
      : { token_endpoint_auth_method: 'none' }),
  }
}

function toSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
