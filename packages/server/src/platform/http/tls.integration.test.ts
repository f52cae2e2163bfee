import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http'
import { createServer, request } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { afterThisFile } from '../../../test/cleanup.ts'
import { adminName, createApi, startApp, type TestApp, testPassword } from '../../../test/kit.ts'
import { createTwin } from '../../../test/twins.ts'

const host = 'iot.example.org'
const file = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../test/certificates/${name}`, import.meta.url)))
const tls = { cert: file('localhost.crt'), key: file('localhost.key') }
const ca = tls.cert

let app: TestApp
let port: number
let cookie: string

/** The headers in which a proxy reports the original client. */
const forwarded = (from: Socket) => ({
  'x-forwarded-for': from.remoteAddress ?? '',
  'x-forwarded-proto': 'https',
})

beforeAll(async () => {
  app = await startApp({ config: { publicUrl: `https://${host}` } })
  const { hostname, port: inner } = new URL(app.url)
  // Like any TLS proxy in front of the platform: it forwards the name and the address.
  const proxy = createServer(tls, (asked, reply) => {
    const headers = { ...asked.headers, ...forwarded(asked.socket) }
    const { method, url: path } = asked
    const sent = plainRequest({ hostname, port: inner, method, path, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
    })
    asked.pipe(sent)
  })
  const open = new Set<Socket>()
  proxy.on('upgrade', (asked, socket: Socket, head: Buffer) => {
    const behind = connect(Number(inner), hostname)
    const headers = Object.entries({ ...asked.headers, ...forwarded(socket) })
    behind.write(
      `GET ${asked.url} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    )
    behind.write(head)
    for (const each of [socket, behind]) {
      open.add(each)
      each.on('error', () => undefined) // when one side closes, so does the other
      each.on('close', () => (each === socket ? behind : socket).destroy())
    }
    socket.pipe(behind).pipe(socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  port = (proxy.address() as AddressInfo).port
  afterThisFile(async () => {
    for (const socket of open) socket.destroy()
    proxy.closeAllConnections()
    proxy.close()
    await once(proxy, 'close')
  })
  const signedIn = await call('/api/auth/login', { username: adminName, password: testPassword })
  cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
})

/** Like a browser: by name and over TLS. */
async function call(path: string, body?: object, headers: Record<string, string> = {}) {
  const settings = { host: '127.0.0.1', port, path, ca, servername: 'localhost', agent: false }
  const sent = request({
    ...settings,
    method: body ? 'POST' : 'GET',
    headers: { host, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
  })
  sent.end(body ? JSON.stringify(body) : undefined)
  const [reply] = await once(sent, 'response')
  return {
    status: reply.statusCode as number,
    headers: reply.headers as IncomingHttpHeaders,
    body: await text(reply),
  }
}

function expectProtected(headers: IncomingHttpHeaders, isForAll = false, path = ''): void {
  expect(headers['strict-transport-security'], path).toBe('max-age=31536000; includeSubDomains')
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers['x-frame-options']).toBe('SAMEORIGIN')
  expect(headers['referrer-policy']).toBe('no-referrer')
  expect(headers['cross-origin-opener-policy']).toBe('same-origin')
  expect(headers['cross-origin-resource-policy']).toBe('same-origin')
  const policy = headers['content-security-policy'] ?? ''
  for (const part of [
    "default-src 'self'",
    "script-src 'self';",
    "object-src 'none'",
    "frame-ancestors 'self'",
  ])
    expect(policy).toContain(part)
  for (const name of ['server', 'x-powered-by', 'via', ...(isForAll ? [] : ['access-control-allow-origin'])])
    expect(headers[name]).toBeUndefined()
}

describe('behind a proxy with TLS', () => {
  test('every kind of answer is protected', async () => {
    const page = await call('/')
    expectProtected(page.headers)
    const [asset] = /assets\/[\w.-]+\.js/.exec(page.body) ?? []
    expect(asset).toBeDefined()
    const paths = [
      `/${asset}`,
      '/api/auth/verify',
      '/api/openapi.json',
      '/api/nothing',
      '/nothing',
      '/healthz',
    ]
    const more = ['/api/hooks/none', '/api/%E0%A4%A', '/metrics']
    for (const path of [...paths, ...more]) expectProtected((await call(path)).headers, false, path)
    // Browser applications discover the endpoints here; it contains nothing secret.
    expectProtected((await call('/oauth2/.well-known/openid-configuration')).headers, true)
    // Remote callers cannot read metrics, although the proxy is on this machine.
    expect((await call('/metrics')).status).toBe(404)
  })

  test('files are downloads of their own', async () => {
    const { id } = await createTwin(app, { id: app.rootAccountId, scopeId: app.rootScopeId })
    const upload = {
      object: 'digitalTwin',
      objectId: id,
      file: new File(['<b>no page</b>'], 'a.txt'),
    } as const
    const stored = await app.api.upload.post(upload)
    const reply = await call(`/api/upload/file/${stored.id}`, undefined, { cookie })
    expect(reply).toMatchObject({ status: 200, body: '<b>no page</b>' })
    expectProtected(reply.headers)
    expect(reply.headers['content-disposition']).toMatch(/^attachment/)
  })

  test('cookies are for this host alone, over TLS alone, and out of the reach of scripts', async () => {
    const signedIn = await call('/api/auth/login', { username: adminName, password: testPassword })
    expect(signedIn.status).toBe(200)
    const own = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const signedOut = await call('/api/auth/logout', undefined, { cookie: own })
    expect(signedOut.status).toBe(200)
    for (const { headers } of [signedIn, signedOut]) {
      expectProtected(headers)
      const lines = headers['set-cookie'] ?? []
      expect(lines.length).toBeGreaterThan(0)
      for (const line of lines) {
        expect(line).toMatch(/^__Host-leitstand_/)
        for (const part of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict'])
          expect(line.split('; ')).toContain(part)
        expect(line).not.toContain('Domain=')
      }
    }
  })

  test('a cookie counts for our own pages, also where the proxy is asked by another port', async () => {
    const write = (origin: string) => call('/api/auth/exchange-code', {}, { cookie, origin })
    expect((await write(`https://${host}`)).status).toBe(200)
    expect((await write('https://evil.example.org')).status).toBe(401)
  })

  test('the live connection takes the cookie of our own pages, and tells nothing about itself', async () => {
    const answer = async (origin: string) => {
      const options = { ca, servername: 'localhost', headers: { host, cookie, origin } }
      const socket = new WebSocket(`wss://127.0.0.1:${port}/api/live`, options)
      const upgraded = once(socket, 'upgrade') as Promise<[{ headers: IncomingHttpHeaders }]>
      const ended = once(socket, 'close')
      const said = once(socket, 'message')
      socket.once('open', () => socket.send('{"kind":"hello","token":null}'))
      const [{ headers }] = await upgraded
      for (const name of ['server', 'x-powered-by', 'set-cookie']) expect(headers[name]).toBeUndefined()
      const first = await Promise.race([
        said.then(([data]) => String(data)),
        ended.then(([code]) => Number(code)),
      ])
      socket.terminate()
      return first
    }
    expect(await answer(`https://${host}`)).toBe('{"kind":"welcome"}')
    expect(await answer('https://evil.example.org')).toBe(4001)
  })
})

describe('headers of a proxy', () => {
  const addressOf = async (server: TestApp, from: string) => {
    const { hostname, port: inner } = new URL(server.url)
    const sent = plainRequest({
      hostname,
      port: inner,
      method: 'POST',
      path: '/api/auth/login',
      localAddress: from,
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9, 198.51.100.1' },
    })
    sent.end(JSON.stringify({ username: adminName, password: testPassword }))
    const [reply] = await once(sent, 'response')
    const { token } = JSON.parse(await text(reply)) as { token: string }
    const { items } = await createApi(server.url, token).session.list({})
    return items.find(({ current }) => current)?.ip
  }

  test('are believed from this machine and from those the operator names, and only their last word', async () => {
    expect(await addressOf(app, '127.0.0.1')).toBe('198.51.100.1')
    await using named = await startApp({ config: { trustedProxies: ['loopback', '198.51.100.0/24'] } })
    expect(await addressOf(named, '127.0.0.1')).toBe('203.0.113.9')
    await using nobody = await startApp({ config: { trustedProxies: ['192.0.2.1'] } })
    expect(await addressOf(nobody, '127.0.0.1')).toBe('127.0.0.1')
  })
})
