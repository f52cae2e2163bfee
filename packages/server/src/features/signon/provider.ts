import * as oidc from 'openid-client'
import { AppError, messageOf } from '../../platform/errors.ts'
import type { GuardedFetch } from '../../platform/net/guardedFetch.ts'
import type { Attempt } from './attempt.ts'
import { type Claims, subjectOf } from './claims.ts'
import type { ClientRow, OAuth2Settings, OidcSettings, Provider } from './store.ts'

/** Timeout of requests in the library, in seconds; the guard below it has one, too. */
const timeoutSeconds = 10

/** Why a sign-in failed: a code for the user, the cause for the activity log of the account. */
export class SsoFailure extends Error {
  readonly code: FailureCode
  constructor(code: FailureCode, reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'SsoFailure'
    this.code = code
  }
}

type FailureCode =
  | `${'OIDC' | 'OAUTH2'}_${
      | 'AUTH_CODE_NOT_RETRIEVABLE'
      | 'ACCESS_TOKEN_NOT_RETRIEVABLE'
      | 'USER_INFO_UNAVAILABLE'
      | 'USER_NOT_FOUND'
      | 'USER_NOT_CREATABLE'}`
  | 'SSO_USER_MAY_DO_MORE'
  | 'AUTH_USER_DEACTIVATED'
  | 'AUTH_USER_UNASSIGNED_TENANT_OR_SCOPE'

/** The prefix of a client's error codes. */
export function prefixOf({ kind }: { kind: Provider['kind'] }): 'OIDC' | 'OAUTH2' {
  return kind === 'oidc' ? 'OIDC' : 'OAUTH2'
}

/**
 * The provider's configuration for the library. For OIDC with a discovery URL it is fetched.
 * @param secret null: a public client
 * @throws errors of the library or of the guard
 */
export async function configure(
  provider: Provider,
  clientId: string,
  secret: string | null,
  open: GuardedFetch,
): Promise<oidc.Configuration> {
  const auth = authOf(provider.settings.clientAuth, secret)
  const fetch: oidc.CustomFetch = (url, options) => open(url, requestOf(options))
  // The guard allows unencrypted requests only to the operator's own networks.
  const execute = [oidc.allowInsecureRequests]
  if (provider.kind === 'oidc' && provider.settings.discoveryUrl !== null) {
    const address = new URL(provider.settings.discoveryUrl)
    const options = { [oidc.customFetch]: fetch, execute, timeout: timeoutSeconds }
    const found = await oidc.discovery(address, clientId, undefined, auth, options)
    // A multi-tenant issuer would let users of all its tenants in.
    if (/[{}]/.test(found.serverMetadata().issuer)) throw new SeveralIssuers(found.serverMetadata().issuer)
    oidc.enableNonRepudiationChecks(found)
    return found
  }
  const given = new oidc.Configuration(metadataOf(provider), clientId, undefined, auth)
  given[oidc.customFetch] = fetch
  given.timeout = timeoutSeconds
  oidc.allowInsecureRequests(given)
  if (provider.kind === 'oidc') oidc.enableNonRepudiationChecks(given)
  return given
}

/** The discovery document names a pattern for many issuers instead of one. */
export class SeveralIssuers extends Error {
  constructor(issuer: string) {
    super(`${issuer} stands for many issuers; use the address of one`)
    this.name = 'SeveralIssuers'
  }
}

/** The URL the browser opens to sign in. */
export async function authorizationUrl(
  configuration: oidc.Configuration,
  client: Pick<ClientRow, 'kind' | 'settings'>,
  attempt: Attempt,
): Promise<URL> {
  const { scopes } = client.settings
  return oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: attempt.redirectUri,
    ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
    state: attempt.state,
    ...(client.kind === 'oidc' ? { nonce: attempt.nonce } : {}),
    code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  })
}

/**
 * Exchanges the code of a callback and reads the identity.
 * The library checks state, PKCE, and the signature, issuer, audience, nonce and times of an ID token.
 * @param query of the callback request
 * @throws SsoFailure
 */
export async function identify(
  configuration: oidc.Configuration,
  client: ClientRow,
  attempt: Attempt,
  query: URLSearchParams,
): Promise<{ subject: string; claims: Claims }> {
  const prefix = prefixOf(client)
  const error = query.get('error')
  if (error !== null || !query.has('code'))
    throw new SsoFailure(`${prefix}_AUTH_CODE_NOT_RETRIEVABLE`, `the provider answered ${error ?? 'no code'}`)
  const tokens = await exchange(configuration, client, attempt, query).catch((cause: unknown) => {
    throw new SsoFailure(`${prefix}_ACCESS_TOKEN_NOT_RETRIEVABLE`, reasonOf(cause), { cause })
  })
  try {
    return client.kind === 'oidc'
      ? await oidcIdentity(configuration, tokens)
      : await oauth2Identity(configuration, client.settings, tokens)
  } catch (cause) {
    throw new SsoFailure(`${prefix}_USER_INFO_UNAVAILABLE`, reasonOf(cause), { cause })
  }
}

type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>

function exchange(
  configuration: oidc.Configuration,
  client: ClientRow,
  attempt: Attempt,
  query: URLSearchParams,
): Promise<Tokens> {
  const answered = new URL(attempt.redirectUri)
  answered.search = query.toString()
  const checks = { expectedState: attempt.state, pkceCodeVerifier: attempt.verifier }
  if (client.kind === 'oidc')
    return oidc.authorizationCodeGrant(configuration, answered, { ...checks, expectedNonce: attempt.nonce })
  // Without OIDC there is no issuer to compare with; instead each client has its own redirect URI.
  answered.searchParams.delete('iss')
  return oidc.authorizationCodeGrant(configuration, answered, checks)
}

/**
 * The ID token identifies the user; user info, if available, adds claims and must be about the same subject.
 */
async function oidcIdentity(configuration: oidc.Configuration, tokens: Tokens) {
  const token = tokens.claims()
  const subject = token && subjectOf(token, 'sub')
  if (!token || subject === undefined || subject === null) throw new Error('no ID token with a subject')
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return { subject, claims: { ...token } }
  const info = await oidc.fetchUserInfo(configuration, tokens.access_token, subject)
  return { subject, claims: { ...info, ...token } }
}

async function oauth2Identity(
  configuration: oidc.Configuration,
  settings: OAuth2Settings,
  tokens: Tokens,
): Promise<{ subject: string; claims: Claims }> {
  const answer = await oidc.fetchProtectedResource(
    configuration,
    tokens.access_token,
    new URL(settings.endpoints.userinfo),
    'GET',
    undefined,
    new Headers({ accept: 'application/json' }),
  )
  if (answer.status !== 200) throw new Error(`the user info end point answered ${answer.status}`)
  const claims: unknown = await answer.json()
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
    throw new Error('the user info is no object')
  const said = { ...claims }
  const subject = subjectOf(said, settings.fields.id)
  if (subject === null) throw new Error(`the user info has no ${settings.fields.id}`)
  return { subject, claims: said }
}

function metadataOf(provider: Provider): oidc.ServerMetadata {
  if (provider.kind === 'oidc') return oidcMetadata(provider.settings)
  const { authorization, token } = provider.settings.endpoints
  return {
    issuer: new URL(authorization).origin,
    authorization_endpoint: authorization,
    token_endpoint: token,
  }
}

function oidcMetadata({ endpoints }: OidcSettings): oidc.ServerMetadata {
  if (endpoints === null) throw new Error('neither end points nor an address of discovery')
  return {
    issuer: endpoints.issuer,
    authorization_endpoint: endpoints.authorization,
    token_endpoint: endpoints.token,
    jwks_uri: endpoints.jwks,
    ...(endpoints.userinfo === null ? {} : { userinfo_endpoint: endpoints.userinfo }),
  }
}

function authOf(clientAuth: 'basic' | 'post', secret: string | null): oidc.ClientAuth {
  if (secret === null) return oidc.None()
  return clientAuth === 'basic' ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret)
}

/** Converts the library's request options to those of the guarded request. */
function requestOf({ method, headers, body, signal }: oidc.CustomFetchOptions) {
  return {
    method,
    headers,
    ...(body === undefined || body === null ? {} : { body: bytesOf(body) }),
    ...(signal ? { signal } : {}),
  }
}

function bytesOf(body: Exclude<oidc.FetchBody, null | undefined>): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  if (body instanceof URLSearchParams) return body.toString()
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new TypeError('a stream cannot be sent to a provider')
}

/** The reason of a failure, without text from a foreign server. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof oidc.ResponseBodyError) return `${cause.status} ${cause.error}`.slice(0, 200)
  if (cause instanceof AppError) return cause.code
  const code = (cause as { code?: unknown } | null)?.code
  return (typeof code === 'string' ? `${code}: ${messageOf(cause)}` : messageOf(cause)).slice(0, 200)
}
