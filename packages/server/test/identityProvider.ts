import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import Provider, { type Adapter, type AdapterPayload, type JWK, type KoaContextWithOIDC } from 'oidc-provider'

/** A user's claims, besides `sub`. */
export type Person = Record<string, unknown>

/** A real OpenID provider with its own users and sign-in page. */
export interface IdentityProvider extends AsyncDisposable {
  issuer: string
  clientId: string
  clientSecret: string
  /** Users by sign-in name; `sub` is the name. */
  people: Map<string, Person>
  /** Restarts with these redirect addresses. */
  allow(redirectUris: readonly string[]): void
}

const clientId = 'leitstand'
const clientSecret = 'a secret of the provider & its client'

/** On a free port; PKCE is required, and sign-in only asks for the name. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const people = new Map<string, Person>()
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  const signing: JWK = { ...key, kty: 'RSA', use: 'sig', alg: 'RS256', kid: 'one' }
  let provider: Provider | undefined
  const server = createServer((request, reply) => {
    if (!provider) throw new Error('the provider was called before it was set up')
    void answer(provider, request, reply)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the port is not known')
  const issuer = `http://127.0.0.1:${address.port}`
  const allow = (redirectUris: readonly string[]) => {
    provider = providerOf(issuer, signing, people, redirectUris)
  }
  allow(['http://127.0.0.1/nowhere'])
  return {
    issuer,
    clientId,
    clientSecret,
    people,
    allow,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(provider: Provider, request: IncomingMessage, reply: ServerResponse): Promise<void> {
  try {
    if (!request.url?.startsWith('/interaction/')) return await provider.callback()(request, reply)
    if (request.method === 'POST') {
      const accountId = new URLSearchParams(await textOf(request)).get('name') ?? ''
      return await provider.interactionFinished(request, reply, { login: { accountId } })
    }
    reply.setHeader('content-type', 'text/html')
    reply.end(`<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,"><form method="post">
      <label>Name <input name="name"></label><button>Continue</button></form></html>`)
  } catch (error) {
    reply.statusCode = 500
    reply.end(String(error))
  }
}

function providerOf(
  issuer: string,
  signing: JWK,
  people: ReadonlyMap<string, Person>,
  redirectUris: readonly string[],
): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [...redirectUris],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    adapter: keepInMemory(),
    ttl: {
      Interaction: 600,
      Grant: 600,
      Session: 600,
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
    },
    jwks: { keys: [signing] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'groups'],
    },
    cookies: { keys: ['cookies of the provider'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    findAccount: (_ctx, accountId) => {
      const person = people.get(accountId)
      return person && { accountId, claims: async () => ({ ...person, sub: accountId }) }
    },
    loadExistingGrant: grantAll,
  })
}

/** Nothing needs to be persisted. */
function keepInMemory(): (model: string) => Adapter {
  const rows = new Map<string, AdapterPayload>()
  return (model) => ({
    upsert: async (id, payload) => void rows.set(`${model} ${id}`, payload),
    find: async (id) => rows.get(`${model} ${id}`),
    findByUid: async (uid) => [...rows.values()].find((row) => row.uid === uid),
    findByUserCode: async () => undefined,
    consume: async (id) =>
      void Object.assign(rows.get(`${model} ${id}`) ?? {}, { consumed: Date.now() / 1000 }),
    destroy: async (id) => void rows.delete(`${model} ${id}`),
    revokeByGrantId: async (grantId) => {
      for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key)
    },
  })
}

async function grantAll({ oidc }: KoaContextWithOIDC) {
  const { client, session, provider } = oidc
  if (!client || !session?.accountId) return undefined
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope('openid email profile')
  await grant.save()
  return grant
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
