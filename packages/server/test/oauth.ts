import * as client from 'openid-client'
import { createApi, type TestApp } from './kit.ts'

/** A minimal browser for the protocol: it keeps cookies and does not follow redirects. */
export class Browser {
  readonly #cookies = new Map<string, { value: string; path: string }>()

  async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(url)
    const sent = [...this.#cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name.split(' ')[0]}=${value}`)
    const headers = { ...init.headers, ...(sent.length > 0 ? { cookie: sent.join('; ') } : {}) }
    const reply = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of reply.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */)
      const [name = '', value = ''] = pair.split('=')
      const path = attributes.find((one) => one.toLowerCase().startsWith('path='))?.slice(5) ?? '/'
      const key = `${name} ${path}`
      if (value === '') this.#cookies.delete(key)
      else this.#cookies.set(key, { value, path })
    }
    return reply
  }
}

/** An application that uses the platform for sign-in, written with a library as its developer would. */
export interface RelyingParty {
  config: client.Configuration
  redirectUri: string
}

/** Discovers the endpoints from the server, as libraries do. */
export async function relyingParty(
  app: TestApp,
  { clientId, secret, redirectUri }: { clientId: string; secret: string | null; redirectUri: string },
  inHeader = false,
): Promise<RelyingParty> {
  const inBody = client.ClientSecretPost
  const proof = secret === null ? client.None() : (inHeader ? client.ClientSecretBasic : inBody)(secret)
  const config = await client.discovery(
    new URL(`${app.url}/oauth2`),
    clientId,
    {},
    proof,
    // The test server has no certificate.
    { execute: [client.allowInsecureRequests] },
  )
  return { config, redirectUri }
}

/** A started sign-in request, and the values to verify its result. */
export interface BegunRequest {
  party: RelyingParty
  url: URL
  state: string
  verifier: string
}

export async function beginRequest(party: RelyingParty, scope: string): Promise<BegunRequest> {
  const [state, verifier] = [client.randomState(), client.randomPKCECodeVerifier()]
  const url = client.buildAuthorizationUrl(party.config, {
    redirect_uri: party.redirectUri,
    scope,
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { party, url, state, verifier }
}

/** Target of a redirect. */
export function locationOf(reply: Response, base: string): URL {
  const location = reply.headers.get('location')
  if (!location) throw new Error(`the reply ${reply.status} leads nowhere`)
  return new URL(location, base)
}

/** The id in the address of the consent page. */
export function requestIn({ hash }: URL): string {
  const id = /^#\/oauth\?request=([\w-]+)$/.exec(hash)?.[1]
  if (!id) throw new Error(`${hash} is not the page that asks for consent`)
  return id
}

/** The operations of the consent page, with the cookies of the browser. */
export function consentPage(app: TestApp, browser: Browser, token: string, request: string) {
  const call = async (method: string, body?: object) => {
    const reply = await browser.fetch(`${app.url}/api/oauth/request/${request}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
  }
  return { look: () => call('GET'), decide: (allow: boolean) => call('POST', { allow }) }
}

/** A signed-in user completes a request. @returns the callback address of the application */
export async function goThrough(
  app: TestApp,
  begun: BegunRequest,
  token: string,
  { allow = true, browser = new Browser() }: { allow?: boolean; browser?: Browser } = {},
): Promise<URL> {
  const request = requestIn(locationOf(await browser.fetch(begun.url), app.url))
  const { status, body } = await consentPage(app, browser, token, request).decide(allow)
  if (status !== 200) throw new Error(`the decision was answered with ${status} ${String(body.code)}`)
  return locationOf(await browser.fetch(String(body.returnTo)), app.url)
}

/** Exchanges a code for tokens. */
export function redeem({ party, state, verifier }: BegunRequest, calledBack: URL) {
  return client.authorizationCodeGrant(party.config, calledBack, {
    expectedState: state,
    pkceCodeVerifier: verifier,
  })
}

/** The whole flow: returns tokens with which the application may do what `scope` allows. */
export async function tokensFor(app: TestApp, party: RelyingParty, scope: string, token: string) {
  const begun = await beginRequest(party, scope)
  const tokens = await redeem(begun, await goThrough(app, begun, token))
  return { ...tokens, api: createApi(app.url, tokens.access_token), claims: tokens.claims() }
}

/** The protocol error of a call: its `error`. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
  } catch (error) {
    if (error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError)
      return error.error
    throw error
  }
  throw new Error('the call was expected to be refused')
}
