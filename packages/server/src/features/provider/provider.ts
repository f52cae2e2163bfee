import { hash, timingSafeEqual } from 'node:crypto'
import { applicationScopes } from '@leitstand/contract/applications'
import type { Account, Configuration, JWK, Provider } from 'oidc-provider'
import type { Context } from '../../platform/context.ts'
import { readUser, type Sessions } from '../people/index.ts'
import { adapters, type Protocol } from './adapter.ts'
import { findClient } from './applications.store.ts'
import { grafanaRoleOf } from './grafana.ts'
import { signingKeys } from './keys.ts'

/** The server path the provider is mounted at. */
export const mountPath = '/oauth2'
/**
 * Binds an authorization request to its browser, so that users cannot be tricked into approving another
 * one's.
 */
export const requestCookie = 'leitstand_request'

/** Access tokens are longer than session tokens, so that the length decides where to look one up. */
const accessTokenBits = 288
export const accessTokenLength = accessTokenBits / 6

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const ttl = {
  AccessToken: hour,
  AuthorizationCode: minute,
  IdToken: hour,
  RefreshToken: 30 * day,
  Interaction: 30 * minute,
  Grant: 365 * day,
  Session: minute,
} as const
/** A grant ends when it has not been renewed for this long. */
export const grantLastsMs = ttl.Grant * 1000

type Parts = Pick<Context, 'config' | 'db' | 'clock' | 'secrets' | 'log'> & {
  sessions: Pick<Sessions, 'rightsOf'>
}

/** The OAuth 2 and OpenID Connect provider; built on first use, and again after a change of its keys. */
export class OAuthProvider {
  readonly #ctx: Parts
  readonly #onEnded: () => Promise<void>
  #built: Promise<Provider> | undefined

  /** @param onEnded called when tokens may have ended */
  constructor(ctx: Parts, onEnded: () => Promise<void>) {
    this.#ctx = ctx
    this.#onEnded = onEnded
  }

  /** Makes the next request read the keys again. */
  forget(): void {
    this.#built = undefined
  }

  get(): Promise<Provider> {
    const known = this.#built
    if (known) return known
    const building = this.#build()
    this.#built = building
    // A failed attempt must not stay cached; current waiters get the error.
    building.catch(() => {
      if (this.#built === building) this.#built = undefined
    })
    return building
  }

  async #build(): Promise<Provider> {
    const { config, log } = this.#ctx
    // Loaded on demand: it is large, few installations need it, and it would slow down the start.
    const protocol = await import('oidc-provider')
    const keys = await signingKeys(this.#ctx)
    const provider = new protocol.Provider(
      `${config.publicUrl}${mountPath}`,
      configurationOf({ ...this.#ctx, protocol }, keys, this.#onEnded),
    )
    // Trusts the forwarding headers, which mount.ts sets.
    provider.proxy = true
    provider.Client.prototype.compareClientSecret = function (actual: string): boolean {
      const expected = Buffer.from(this.clientSecret ?? '', 'hex')
      const given = hash('sha256', actual, 'buffer')
      return expected.length === given.length && timingSafeEqual(expected, given)
    }
    provider.on('server_error', (_ctx, error) =>
      log.error({ err: error }, 'signing in to an application failed'),
    )
    return provider
  }
}

function configurationOf(
  ctx: Parts & { protocol: Protocol },
  keys: JWK[],
  onEnded: () => Promise<void>,
): Configuration {
  const { publicUrl } = ctx.config
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  const cookie = { httpOnly: true, sameSite: 'lax' } as const
  return {
    adapter: adapters(ctx, onEnded),
    jwks: { keys },
    scopes: [...applicationScopes, 'offline_access'],
    claims: {
      openid: ['sub'],
      profile: ['name', 'given_name', 'family_name', 'preferred_username', 'locale'],
      email: ['email'],
      grafana: ['role', 'account', 'groups'],
    },
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    allowOmittingSingleRegisteredRedirectUri: false,
    formats: { bitsOfOpaqueRandomness: accessTokenBits },
    ttl,
    routes: {
      authorization: '/authorize',
      token: '/token',
      userinfo: '/userinfo',
      revocation: '/revoke',
      jwks: '/jwks',
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      // Revoking a token of another application returns success but does nothing.
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
    },
    cookies: {
      keys: [ctx.secrets.mac('cookies', 'oauth').toString('base64url')],
      names: {
        session: 'leitstand_oauth',
        interaction: 'leitstand_oauth_asked',
        resume: 'leitstand_oauth_resume',
      },
      long: cookie,
      short: cookie,
    },
    // A public application may request tokens from the origins of its redirect URIs.
    clientBasedCORS: (_ctx, origin, client) =>
      client.clientAuthMethod === 'none' &&
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    // Called for each token, so the role follows current rights. Without an account no token is issued.
    findAccount: (koa, sub, token) => {
      const scope = token?.scope ?? koa.oidc.params?.scope
      return accountOf(ctx, sub, {
        clientId: koa.oidc.client?.clientId ?? token?.clientId,
        wantsRole: String(scope ?? '')
          .split(' ')
          .includes('grafana'),
      })
    },
    loadExistingGrant: async ({ oidc }) => {
      const grantKey = oidc.result?.consent?.grantId
      return grantKey === undefined ? undefined : oidc.provider.Grant.find(grantKey)
    },
    interactions: {
      // The console handles sign-in and consent.
      url: (koa, { uid }) => {
        koa.cookies.set(requestCookie, uid, {
          path: `${base}/api/oauth/request/${uid}`,
          httpOnly: true,
          sameSite: 'strict',
          signed: false,
          secure: koa.secure,
          maxAge: ttl.Interaction * 1000,
        })
        return `${publicUrl}/#/oauth?request=${uid}`
      },
    },
    // Errors that cannot be returned to the application are shown by the console, in the user's language.
    renderError: (koa, out) => {
      const asked = ['authorization', 'resume'].includes(koa.oidc?.route ?? '')
      if (asked) koa.redirect(`${publicUrl}/#/oauth?error=${encodeURIComponent(out.error)}`)
      else koa.body = out
    },
  }
}

/**
 * An active user, with the claims an application may see.
 * @param wantsRole also the role in Grafana; then users without one are none
 */
async function accountOf(
  { db, sessions }: Parts,
  sub: string,
  { clientId, wantsRole }: { clientId: string | undefined; wantsRole: boolean },
): Promise<Account | undefined> {
  if (!/^\d{1,9}$/.test(sub)) return undefined
  const user = await readUser(db, Number(sub))
  if (!user?.active) return undefined
  const client = wantsRole && clientId !== undefined ? await findClient(db, clientId) : undefined
  const role = client && (await grafanaRoleOf(db, await sessions.rightsOf(user.id), client))
  if (wantsRole && !role) return undefined
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ') || user.username
  const { language } = languageOf(user.properties)
  return {
    accountId: sub,
    claims: () => ({
      sub,
      name,
      given_name: user.first_name,
      family_name: user.last_name,
      preferred_username: user.username,
      email: user.email,
      ...(client && role ? { role, account: client.accountName, groups: [client.accountName] } : {}),
      ...(language === undefined ? {} : { locale: language }),
    }),
  }
}

function languageOf(properties: unknown): { language?: string } {
  const { userDefaults } = (properties ?? {}) as { userDefaults?: { language?: unknown } }
  return typeof userDefaults?.language === 'string' ? { language: userDefaults.language } : {}
}
