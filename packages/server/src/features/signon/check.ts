import type { SsoCheck, SsoReport } from '@leitstand/contract'
import * as oidc from 'openid-client'
import { AppError } from '../../platform/errors.ts'
import { AnswerTooLarge, type GuardedFetch } from '../../platform/net/guardedFetch.ts'
import type { Attempt } from './attempt.ts'
import { authorizationUrl, configure, reasonOf, SeveralIssuers } from './provider.ts'
import type { Provider } from './store.ts'

/** Maximum length of a provider's lists in the result. */
const listedMax = 100
const textMax = 500

/**
 * Checks a provider without a sign-in: whether it is reachable, accepts the client and its secret (only then
 * does it reject a made-up code as such), publishes its keys and supports what is requested. Its responses
 * are mapped to our own codes, so that the check cannot be used to read internal servers.
 */
export async function checkProvider(
  provider: Provider,
  clientId: string,
  secret: string | null,
  redirectUri: string,
  open: GuardedFetch,
): Promise<SsoReport> {
  const checks: SsoCheck[] = []
  const add = (step: SsoCheck['step'], state: SsoCheck['state'], reason: SsoCheck['reason'], detail = '') =>
    checks.push({ step, state, reason, detail: detail.slice(0, textMax) })
  let configuration: oidc.Configuration
  try {
    configuration = await configure(provider, clientId, secret, open)
  } catch (cause) {
    add('discovery', 'failed', whyNot(cause), reasonOf(cause))
    return { ok: false, checks, discovered: null }
  }
  const metadata = configuration.serverMetadata()
  if (provider.kind === 'oidc' && provider.settings.discoveryUrl !== null)
    add('discovery', 'ok', 'reached', metadata.issuer)
  const attempt = attemptFor(redirectUri)
  await checkAuthorization(configuration, provider, attempt, open, add)
  if (provider.kind === 'oidc') await checkKeys(metadata.jwks_uri, open, add)
  await checkToken(configuration, attempt, add)
  const userinfo =
    provider.kind === 'oidc' ? metadata.userinfo_endpoint : provider.settings.endpoints.userinfo
  if (userinfo !== undefined) await checkUserinfo(userinfo, open, add)
  checkScopes(provider, metadata.scopes_supported, add)
  return {
    ok: checks.every(({ state }) => state !== 'failed'),
    checks,
    discovered: provider.kind === 'oidc' ? discoveredOf(metadata) : null,
  }
}

type Add = (
  step: SsoCheck['step'],
  state: SsoCheck['state'],
  reason: SsoCheck['reason'],
  detail?: string,
) => void

async function checkAuthorization(
  configuration: oidc.Configuration,
  provider: Provider,
  attempt: Attempt,
  open: GuardedFetch,
  add: Add,
): Promise<void> {
  try {
    const answer = await open((await authorizationUrl(configuration, provider, attempt)).href)
    const { status } = answer
    if (status === 404 || status >= 500) add('authorization', 'failed', 'answer', String(status))
    else if (status >= 400) add('authorization', 'failed', 'clientUnknown', String(status))
    else if (lacksPkce(configuration.serverMetadata())) add('authorization', 'warning', 'noPkce')
    else add('authorization', 'ok', 'reached')
  } catch (cause) {
    add('authorization', 'failed', whyNot(cause), reasonOf(cause))
  }
}

/** A provider without PKCE ignores it; state and nonce still bind the response to the browser. */
function lacksPkce({ code_challenge_methods_supported: methods }: oidc.ServerMetadata): boolean {
  return methods !== undefined && !methods.includes('S256')
}

async function checkKeys(address: string | undefined, open: GuardedFetch, add: Add): Promise<void> {
  if (address === undefined) {
    add('keys', 'failed', 'missing')
    return
  }
  try {
    const answer = await open(address, { headers: { accept: 'application/json' } })
    const { keys } = (answer.status === 200 ? await answer.json() : {}) as { keys?: unknown }
    if (answer.status !== 200) add('keys', 'failed', 'answer', String(answer.status))
    else if (!Array.isArray(keys) || keys.length === 0) add('keys', 'failed', 'noKeys')
    else add('keys', 'ok', 'keysFound', String(keys.length))
  } catch (cause) {
    add('keys', 'failed', whyNot(cause), reasonOf(cause))
  }
}

async function checkToken(configuration: oidc.Configuration, attempt: Attempt, add: Add): Promise<void> {
  const answered = new URL(attempt.redirectUri)
  answered.searchParams.set('code', 'made-up-to-check-the-secret')
  answered.searchParams.set('state', attempt.state)
  answered.searchParams.set('iss', configuration.serverMetadata().issuer)
  const checks = { expectedState: attempt.state, pkceCodeVerifier: attempt.verifier }
  try {
    await oidc.authorizationCodeGrant(configuration, answered, checks)
    add('token', 'warning', 'undecided')
  } catch (cause) {
    if (cause instanceof oidc.ResponseBodyError) {
      if (cause.error === 'invalid_grant') add('token', 'ok', 'secretAccepted')
      else if (cause.status === 401 || refusals.has(cause.error)) add('token', 'failed', 'secret')
      else add('token', 'warning', 'undecided', reasonOf(cause))
    } else if (cause instanceof oidc.WWWAuthenticateChallengeError) add('token', 'failed', 'secret')
    else add('token', 'failed', whyNot(cause), reasonOf(cause))
  }
}

const refusals: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client'])

/** Without a token the endpoint has to refuse, which shows that it exists. */
async function checkUserinfo(address: string, open: GuardedFetch, add: Add): Promise<void> {
  try {
    const { status } = await open(address, { headers: { accept: 'application/json' } })
    if (status === 404 || status >= 500) add('userinfo', 'failed', 'answer', String(status))
    else add('userinfo', 'ok', 'reached')
  } catch (cause) {
    add('userinfo', 'failed', whyNot(cause), reasonOf(cause))
  }
}

function checkScopes(provider: Provider, supported: readonly string[] | undefined, add: Add): void {
  const { scopes } = provider.settings
  const missing = supported ? scopes.filter((scope) => !supported.includes(scope)) : []
  if (provider.kind === 'oidc' && !scopes.includes('openid')) add('scopes', 'failed', 'scopes', 'openid')
  else if (missing.length > 0) add('scopes', 'warning', 'scopes', missing.join(' '))
  else if (supported) add('scopes', 'ok', 'accepted')
}

function discoveredOf(metadata: oidc.ServerMetadata): SsoReport['discovered'] {
  const list = (texts: unknown) =>
    Array.isArray(texts) ? texts.map((text) => String(text).slice(0, textMax)).slice(0, listedMax) : []
  return {
    issuer: metadata.issuer,
    authorization: metadata.authorization_endpoint ?? '',
    token: metadata.token_endpoint ?? '',
    userinfo: metadata.userinfo_endpoint ?? null,
    jwks: metadata.jwks_uri ?? '',
    scopes: list(metadata.scopes_supported),
    claims: list(metadata.claims_supported),
  }
}

function attemptFor(redirectUri: string): Attempt {
  const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()]
  return {
    clientId: 0,
    version: 0,
    state,
    nonce,
    verifier,
    redirectUri,
    origin: '',
    redirect: '/',
    until: 0,
  }
}

/** Why a request failed. */
function whyNot(cause: unknown): SsoCheck['reason'] {
  for (let error: unknown = cause; error instanceof Error; error = error.cause) {
    if (error instanceof SeveralIssuers) return 'severalIssuers'
    if (error instanceof AnswerTooLarge) return 'tooLarge'
    if (error instanceof AppError && error.code === 'OUTGOING_ADDRESS_FORBIDDEN') return 'forbidden'
    if (error instanceof AppError && error.code === 'OUTGOING_HOST_UNKNOWN') return 'hostUnknown'
    if (error.name === 'TimeoutError') return 'timeout'
    const { code } = error as { code?: unknown }
    if (typeof code !== 'string') continue
    if (code === 'OAUTH_TIMEOUT') return 'timeout'
    if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') return 'issuer'
    if (code.startsWith('OAUTH_')) return 'answer'
  }
  return 'unreachable'
}
