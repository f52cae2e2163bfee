import { createSign, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'

interface Answer {
  status?: number
  body: unknown
}

/**
 * A provider with responses set by the test, for responses no honest provider gives. It signs with its own
 * key.
 */
export interface ForeignProvider extends AsyncDisposable {
  url: string
  /** Parameters of the last request at the authorization endpoint. */
  asked: URLSearchParams
  /** Redirect parameters, besides the state. */
  answerWith: Record<string, string>
  token: () => Answer
  userinfo: () => Answer
  /** A signed token for the last request; the given claims override the defaults. */
  idToken(claims?: Record<string, unknown>): string
  /** The same, signed with an unknown key. */
  forgedToken(): string
}

export async function startForeignProvider(): Promise<ForeignProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const sign = (claims: object, key = privateKey) => {
    const text = [{ alg: 'RS256', kid: 'one' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`
  }
  const server = createServer((request, reply) => {
    const url = new URL(request.url ?? '/', foreign.url)
    const send = ({ status = 200, body }: Answer) => {
      reply.writeHead(status, { 'content-type': 'application/json' })
      reply.end(JSON.stringify(body))
    }
    if (url.pathname === '/token') send(foreign.token())
    else if (url.pathname === '/userinfo') send(foreign.userinfo())
    else if (url.pathname === '/jwks')
      send({
        body: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] },
      })
    else if (url.pathname === '/many/.well-known/openid-configuration')
      send({ body: { issuer: `${foreign.url}/{tenant}`, authorization_endpoint: foreign.url } })
    else if (url.pathname === '/authorize') {
      foreign.asked = url.searchParams
      const back = new URL(url.searchParams.get('redirect_uri') ?? foreign.url)
      const state = url.searchParams.get('state') ?? ''
      back.search = new URLSearchParams({ state, ...foreign.answerWith }).toString()
      reply.writeHead(302, { location: back.href }).end()
    } else reply.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the port is not known')
  const now = () => Math.floor(Date.now() / 1000)
  const usual = () => ({
    iss: foreign.url,
    aud: 'client',
    sub: 'somebody',
    nonce: foreign.asked.get('nonce') ?? undefined,
    iat: now(),
    exp: now() + 600,
  })
  const foreign: ForeignProvider = {
    url: `http://127.0.0.1:${address.port}`,
    asked: new URLSearchParams(),
    answerWith: { code: 'a-code' },
    token: () => ({ body: { access_token: 'access', token_type: 'Bearer', id_token: foreign.idToken() } }),
    userinfo: () => ({ body: { sub: 'somebody' } }),
    idToken: (claims = {}) => sign({ ...usual(), ...claims }),
    forgedToken: () => sign(usual(), other),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return foreign
}
