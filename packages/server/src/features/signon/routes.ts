import type { OAuth2ClientInput, OidcClientInput, SsoReport } from '@leitstand/contract'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { cookieName, sessionCookie } from '../../platform/http/credentials.ts'
import { os } from '../../platform/http/implement.ts'
import { accountOfDomain, domainOfHost, provenDomainsOf } from '../accounts/index.ts'
import type { PeopleFeature, Sessions } from '../people/index.ts'
import { readUser, toSessionAccess, toSessionUser } from '../people/index.ts'
import { redirectUris, ssoPath } from './addresses.ts'
import { openWaiting, waitingCookie } from './attempt.ts'
import { checkProvider } from './check.ts'
import type { ClientInput, SsoClients } from './clients.ts'
import type { SsoLogin } from './login.ts'
import { SsoFailure } from './provider.ts'
import { type ClientRow, listClients, readButtons, type SsoKind } from './store.ts'

/** Why a sign-in failed after the provider's answer, by the code of the error. */
const factorReasons: Readonly<Record<string, Parameters<PeopleFeature['failures']['note']>[0]['reason']>> = {
  '2FA_TOKEN_FAILURE': 'factor',
  AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS: 'locked',
  AUTH_USER_DEACTIVATED: 'deactivated',
  AUTH_USER_UNASSIGNED_TENANT_OR_SCOPE: 'unassigned',
}

interface Parts {
  sessions: Sessions
  clients: SsoClients
  login: SsoLogin
  failures: PeopleFeature['failures']
}

/** Buttons of the login page, and the last step of a sign-in that requires our second factor. */
export function ssoRoutes(ctx: Context, { sessions, clients, login, failures }: Parts) {
  const { db, http, clock, secrets, config } = ctx
  const buttons = async (kind: SsoKind, domain: string) => {
    const owner = await accountOfDomain(db, domainOfHost(config.publicUrl, domain))
    const items = await readButtons(db, kind, owner)
    return {
      items: items.map(({ key, title, logo }) => ({ title, logo, startPath: `${ssoPath}/${key}/start` })),
    }
  }
  const noteFailure = async (error: unknown, userId: number, ip: string) => {
    if (!(error instanceof SsoFailure || error instanceof AppError)) return
    const reason = Object.hasOwn(factorReasons, error.code) ? factorReasons[error.code] : undefined
    const user = await readUser(db, userId)
    if (reason !== undefined && user) failures.note({ name: user.username, ip, userId, reason })
  }
  return {
    oidcButtons: os.sso.oidcButtons.handler(({ input }) => buttons('oidc', input.domain)),
    oauth2Buttons: os.sso.oauth2Buttons.handler(({ input }) => buttons('oauth2', input.domain)),
    addresses: os.sso.addresses.handler(async ({ input: { accountId, key }, context: { caller } }) => {
      await clients.requireAccount(db, caller, accountId)
      return addressesOf(config.publicUrl, await provenDomainsOf(db, accountId), key)
    }),
    confirm: os.sso.confirm.handler(async ({ input, context }) => {
      const { ip, userAgent, headers } = context
      const cookie = http.parseCookie(headers.cookie?.toString() ?? '')[
        cookieName(waitingCookie, http.guard.secure)
      ]
      const waiting = openWaiting(secrets, cookie, clock.now().getTime())
      if (!waiting) throw new AppError('SSO_ATTEMPT_ENDED')
      const { session, userId } = await login
        .confirm(waiting, input.code, { ip, userAgent })
        .catch(async (error: unknown) => {
          await noteFailure(error, waiting.userId, ip)
          throw error instanceof SsoFailure ? new AppError(error.code) : error
        })
      context.setCookie(waitingCookie, '')
      context.setCookie(sessionCookie, session.token, { expires: session.expiresAt })
      const user = await readUser(db, userId)
      if (!user) throw new AppError('SSO_ATTEMPT_ENDED')
      return {
        token: session.token,
        expiresAt: session.expiresAt.toISOString(),
        user: toSessionUser(user),
        access: toSessionAccess(await sessions.rightsOf(userId)),
      }
    }),
  }
}

/** OpenID Connect clients. */
export function oidcClientRoutes(ctx: Context, clients: SsoClients) {
  const shared = clientOperations(ctx, clients)
  return {
    list: os.oidcClient.list.handler(async ({ input, context: { caller } }) => {
      const page = await shared.list('oidc', caller, input)
      return { ...page, items: page.items.flatMap((row) => (row.kind === 'oidc' ? [toOidc(ctx, row)] : [])) }
    }),
    create: os.oidcClient.create.handler(async ({ input, context: { caller } }) =>
      onlyOidc(ctx, await clients.create(caller, { ...oidcInput(input), key: input.key })),
    ),
    update: os.oidcClient.update.handler(async ({ input, context: { caller } }) =>
      onlyOidc(ctx, await shared.update(caller, input, oidcInput(input))),
    ),
    delete: os.oidcClient.delete.handler(({ input, context: { caller } }) =>
      shared.delete('oidc', caller, input.id),
    ),
    validate: os.oidcClient.validate.handler(({ input, context: { caller } }) =>
      shared.validate(caller, input, oidcInput(input)),
    ),
  }
}

/** Plain OAuth2 clients. */
export function oauth2ClientRoutes(ctx: Context, clients: SsoClients) {
  const shared = clientOperations(ctx, clients)
  return {
    list: os.oauth2Client.list.handler(async ({ input, context: { caller } }) => {
      const page = await shared.list('oauth2', caller, input)
      const items = page.items.flatMap((row) => (row.kind === 'oauth2' ? [toOAuth2(ctx, row)] : []))
      return { ...page, items }
    }),
    create: os.oauth2Client.create.handler(async ({ input, context: { caller } }) =>
      onlyOAuth2(ctx, await clients.create(caller, { ...oauth2Input(input), key: input.key })),
    ),
    update: os.oauth2Client.update.handler(async ({ input, context: { caller } }) =>
      onlyOAuth2(ctx, await shared.update(caller, input, oauth2Input(input))),
    ),
    delete: os.oauth2Client.delete.handler(({ input, context: { caller } }) =>
      shared.delete('oauth2', caller, input.id),
    ),
    validate: os.oauth2Client.validate.handler(({ input, context: { caller } }) =>
      shared.validate(caller, input, oauth2Input(input)),
    ),
  }
}

interface Page {
  accountIds?: number[] | undefined
  offset: number
  limit: number
}

/** Operations shared by both kinds. */
function clientOperations({ db, config }: Context, clients: SsoClients) {
  return {
    async list(kind: SsoKind, caller: Caller, input: Page) {
      const page = await listClients(db, kind, caller.scopeIds('all', 'manage'), input)
      return { ...page, offset: input.offset, limit: input.limit }
    },
    async update(caller: Caller, { id, version }: { id: number; version: number }, input: ClientInput) {
      return clients.update(caller, id, version, input)
    },
    async delete(kind: SsoKind, caller: Caller, id: number) {
      await clients.delete(caller, kind, id)
      return { ok: true as const }
    },
    async validate(
      caller: Caller,
      { id, key = 'check' }: { id?: number | undefined; key?: string | undefined },
      input: ClientInput,
    ): Promise<SsoReport> {
      await clients.requireAccount(db, caller, input.accountId)
      const known = id === undefined ? undefined : await clients.require(db, caller, input.kind, id)
      // A stored secret is only used within the account it was entered for.
      const stored = known && known.accountId === input.accountId ? clients.secretOf(known) : null
      const secret = input.clientSecret === undefined ? stored : input.clientSecret
      const [redirectUri = config.publicUrl] = redirectUris(config.publicUrl, [], known?.key ?? key)
      return checkProvider(input, input.clientId, secret, redirectUri, clients.open)
    },
  }
}

function oidcInput(input: OidcClientInput): ClientInput & { kind: 'oidc' } {
  const { discoveryUrl, endpoints, fields, scopes, clientAuth, ...content } = input
  return { ...content, kind: 'oidc', settings: { discoveryUrl, endpoints, fields, scopes, clientAuth } }
}

function oauth2Input(input: OAuth2ClientInput): ClientInput & { kind: 'oauth2' } {
  const { endpoints, fields, scopes, clientAuth, ...content } = input
  return { ...content, kind: 'oauth2', settings: { endpoints, fields, scopes, clientAuth } }
}

function onlyOidc(ctx: Context, row: ClientRow) {
  if (row.kind !== 'oidc') throw new AppError('OIDC_CLIENT_NOT_FOUND', { id: row.id })
  return toOidc(ctx, row)
}

function onlyOAuth2(ctx: Context, row: ClientRow) {
  if (row.kind !== 'oauth2') throw new AppError('OAUTH2_CLIENT_NOT_FOUND', { id: row.id })
  return toOAuth2(ctx, row)
}

function toOidc(ctx: Context, row: ClientRow & { kind: 'oidc' }) {
  return { ...common(ctx, row), ...row.settings }
}

function toOAuth2(ctx: Context, row: ClientRow & { kind: 'oauth2' }) {
  return { ...common(ctx, row), ...row.settings }
}

/** Lists the fields, so that the encrypted secret is not returned. */
function common({ config }: Context, row: ClientRow) {
  const { accountId, title, logo, active, clientId, createUsers, linkUsers, trustEmails, mapEveryTime } = row
  const { secondFactor, mappings, fallback, id, key, users, version } = row
  return {
    accountId,
    title,
    logo,
    active,
    clientId,
    createUsers,
    linkUsers,
    trustEmails,
    mapEveryTime,
    secondFactor,
    mappings,
    fallback,
    id,
    key,
    users,
    version,
    hasSecret: row.secret !== null,
    ...addressesOf(config.publicUrl, row.domains, key),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

function addressesOf(publicUrl: string, domains: readonly string[], key: string) {
  return {
    redirectUris: redirectUris(publicUrl, domains, key),
    startUrl: `${publicUrl}${ssoPath}/${key}/start`,
  }
}
