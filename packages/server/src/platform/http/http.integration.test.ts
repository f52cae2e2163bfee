import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { limits } from '@leitstand/contract/common'
import { errorCatalogue } from '@leitstand/contract/errors'
import { beforeAll, describe, expect, test } from 'vitest'
import { adminName, startApp, type TestApp, testPassword } from '../../../test/kit.ts'
import { sessionCookie } from './credentials.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})

function call(method: string, path: string, body?: string, type = 'application/json'): Promise<Response> {
  return fetch(`${app.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${app.token}`,
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body }),
  })
}

async function expectError(reply: Response, status: number, code: keyof typeof errorCatalogue) {
  const body = (await reply.json()) as { code: string; requestId: string; data?: unknown }
  expect({ status: reply.status, code: body.code }).toEqual({ status, code })
  expect(body.requestId).toBe(reply.headers.get('x-request-id'))
  return body
}

describe('bad input gets a code of the catalogue', () => {
  test('broken JSON', async () => {
    await expectError(await call('POST', '/api/auth/login', '{"username": '), 400, 'BODY_NOT_JSON')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
  ])('a body that is no JSON at all: %s', async (type) => {
    const reply = await call('POST', '/api/auth/login', 'a=1', type)
    await expectError(reply, 415, 'BODY_TYPE_UNSUPPORTED')
  })

  test('JSON that tries to reach the prototype', async () => {
    await expectError(
      await call('POST', '/api/auth/login', '{"__proto__": {"admin": true}}'),
      400,
      'BODY_NOT_JSON',
    )
  })

  test('a body of 2 MB', async () => {
    const body = JSON.stringify({ username: 'x'.repeat(2 * limits.bodyBytesMax), password: 'x' })
    const { data } = await expectError(await call('POST', '/api/auth/login', body), 413, 'BODY_TOO_LARGE')
    expect(data).toEqual({ bytesMax: limits.bodyBytesMax })
  })

  test('a body that is too large is answered when it has been sent to its end', async () => {
    const { hostname, port } = new URL(app.url)
    const bytes = limits.bodyBytesMax + 1_000_000
    const socket = connect(Number(port), hostname)
    const received = text(socket)
    socket.write('POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n')
    socket.write(`Content-Length: ${bytes}\r\nConnection: close\r\n\r\n`)
    for (let sent = 0; sent < bytes; sent += 100_000) {
      const isTaken = socket.write(Buffer.alloc(Math.min(100_000, bytes - sent), 0x20))
      if (!isTaken) await once(socket, 'drain')
    }
    expect(await received).toMatch(/^HTTP\/1.1 413 .*"code":"BODY_TOO_LARGE"/s)
  })

  test('a missing field is named', async () => {
    const reply = await call('POST', '/api/auth/login', '{"username": "x"}')
    const { data } = await expectError(reply, 400, 'PARAMETER_VALIDATION_ERROR')
    expect(data).toMatchObject({ issues: [{ path: ['password'] }] })
  })

  test('a number in a body is not made from a text', async () => {
    const reply = await call('POST', '/api/favorite', '{"type": "dashboard", "objectId": "1"}')
    const { data } = await expectError(reply, 400, 'PARAMETER_VALIDATION_ERROR')
    expect(data).toMatchObject({ issues: [{ path: ['objectId'] }] })
  })

  test.each([
    '/api/activityLog?limit=abc',
    '/api/activityLog?limit=0',
    '/api/activityLog?limit=1001',
    '/api/activityLog?accountIds=x',
  ])('a query parameter of the wrong form: %s', async (path) => {
    await expectError(await call('GET', path), 400, 'PARAMETER_VALIDATION_ERROR')
  })

  test.each(['/api/nothing', '/api/auth', '/nothing'])('an unknown path: %s', async (path) => {
    await expectError(await call('GET', path), 404, 'NOT_FOUND')
  })

  test('a path that cannot be decoded', async () => {
    const reply = await call('DELETE', '/api/favorite/%E0%A4%A')
    expect(reply.status).toBe(400)
    expect(await reply.json()).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })
})

describe('query parameters get the types of the operation', () => {
  test.each([
    '/api/activityLog?limit=5&offset=0',
    '/api/activityLog?accountIds=1',
    '/api/activityLog?accountIds=1&accountIds=2',
    '/api/activityLog?accountIds[0]=1&accountIds[1]=2',
    '/api/activityLog?search=5',
  ])('%s', async (path) => {
    expect((await call('GET', path)).status).toBe(200)
  })

  test('one account filters like a list with one', async () => {
    const all = (await (await call('GET', '/api/activityLog')).json()) as { total: number }
    const none = (await (await call('GET', '/api/activityLog?accountIds=999999')).json()) as { total: number }
    expect(all.total).toBeGreaterThan(0)
    expect(none.total).toBe(0)
  })
})

test('a DELETE that says JSON but has no body is no mistake', async () => {
  const reply = await fetch(`${app.url}/api/favorite/12`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
  })
  await expectError(reply, 404, 'NOT_FOUND')
})

test('the description of the API is OpenAPI 3.1 and lists every error', async () => {
  const reply = await fetch(`${app.url}/api/openapi.json`)
  const document = (await reply.json()) as {
    openapi: string
    paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>
    components: { schemas: { Error: { properties: { code: { enum: string[] } } } } }
  }
  expect(document.openapi).toMatch(/^3\.1/)
  expect(document.components.schemas.Error.properties.code.enum).toEqual(Object.keys(errorCatalogue))
  expect(document.paths['/auth/login']?.post?.responses['429']?.description).toContain('TOO_MANY_WRONG')
  expect(Object.keys(document.paths).length).toBeGreaterThan(30)
})

test('health, readiness and metrics', async () => {
  expect(await (await fetch(`${app.url}/healthz`)).json()).toEqual({ status: 'ok' })
  expect(await (await fetch(`${app.url}/readyz`)).json()).toEqual({ status: 'ready' })
  const metrics = await (await fetch(`${app.url}/metrics`)).text()
  expect(metrics).toContain('leitstand_http_request_seconds_bucket')
  expect(metrics).toContain('leitstand_database_connections')
})

test('pages are protected: no foreign scripts, no frames of others, no sniffing', async () => {
  const { headers } = await fetch(`${app.url}/healthz`)
  expect(headers.get('content-security-policy')).toContain("script-src 'self';")
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('every answer says what it is, in which letters, and is saved and not shown where somebody opens it as a page', async () => {
  for (const path of ['/api/tenant/fetch/all', '/api/nothing', '/api/openapi.json']) {
    const { headers } = await call('GET', path)
    expect(headers.get('content-type')).toMatch(/^application\/json(; charset=utf-8)?$/i)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    for (const name of ['server', 'x-powered-by', 'access-control-allow-origin'])
      expect(headers.get(name)).toBeNull()
    expect(headers.get('content-disposition')).toBeNull()
  }
  const opened = await fetch(`${app.url}/api/auth/verify`, { headers: { 'sec-fetch-dest': 'document' } })
  expect(opened.headers.get('content-disposition')).toBe('attachment; filename="api.json"')
})

test.each(['TRACE', 'OPTIONS', 'PROPFIND'])('the method %s is not for anything', async (method) => {
  const { hostname, port } = new URL(app.url)
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request({ hostname, port, method, path: '/api/tenant/fetch/all' }, (reply) => {
      reply.resume()
      resolve(reply.statusCode)
    })
    sent.on('error', reject)
    sent.end()
  })
  expect([400, 404, 405]).toContain(status)
})

describe('a cookie', () => {
  const write = (headers: Record<string, string>) =>
    fetch(`${app.url}/api/auth/exchange-code`, {
      method: 'POST',
      headers: { cookie: `${sessionCookie}=${app.token}`, ...headers },
    })

  test('counts for our own pages and for programs, not for pages of neighbours', async () => {
    const { host } = new URL(app.url)
    expect((await write({})).status).toBe(200)
    expect((await write({ origin: `http://${host}` })).status).toBe(200)
    for (const origin of ['https://evil.example', `http://evil.${host}`, 'null'])
      await expectError(await write({ origin }), 401, 'AUTH_TOKEN_NOT_FOUND')
    // A client with a token of its own needs no cookie.
    const bearer = { authorization: `Bearer ${app.token}`, cookie: '' }
    expect((await write({ ...bearer, origin: 'https://other.example' })).status).toBe(200)
  })

  test('is for this host alone and sent over TLS only, where people come by TLS', async () => {
    await using safe = await startApp({ config: { publicUrl: 'https://iot.example.org' } })
    const reply = await fetch(`${safe.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: adminName, password: testPassword }),
    })
    const [cookie = ''] = reply.headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-leitstand_session=/)
    for (const part of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict']) expect(cookie).toContain(part)
    expect(cookie).not.toContain('Domain=')
    expect(reply.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
    const token = /=([\w-]+)/.exec(cookie)?.[1]
    const verify = async (name: string) =>
      (await fetch(`${safe.url}/api/auth/verify`, { headers: { cookie: `${name}=${token}` } })).json()
    expect(await verify('__Host-leitstand_session')).toMatchObject({ isAuthenticated: true })
    // A cookie that a sibling host could have set is ignored.
    expect(await verify('leitstand_session')).toMatchObject({ isAuthenticated: false })
  })
})

describe('guessing', () => {
  let strict: TestApp
  beforeAll(async () => {
    // The test kit itself has signed in once.
    strict = await startApp({ config: { signInsPerMinute: 5 } })
  })
  const codeOf = async (path: string, body?: object) => {
    const reply = await fetch(`${strict.url}/api${path}`, {
      method: body ? 'POST' : 'GET',
      headers: body ? { 'content-type': 'application/json' } : {},
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return ((await reply.json()) as { code?: string }).code
  }

  test('passwords is stopped by address, for any user and any spelling of the path', async () => {
    const codes: (string | undefined)[] = []
    const spellings = ['login/', 'logi%6E', '%6cogin', 'login?x=1', ...Array(5).fill('login')]
    for (const spelling of spellings)
      codes.push(await codeOf(`/auth/${spelling}`, { username: `nobody ${codes.length}`, password: 'guess' }))
    expect(codes.filter((code) => code === 'AUTH_LOGIN_PASSWORD_MISMATCH')).toHaveLength(4)
    expect(codes.at(-1)).toBe('TOO_MANY_REQUESTS')
  })

  test.each([
    ['/auth/exchange-token', { exchange_code: 'x'.repeat(43) }],
    ['/auth/sso/confirm', { code: '123456' }],
    ['/user/passwordreset', { email: 'nobody@example.org' }],
    ['/user/passwordreset/update', { token: 'x'.repeat(43), password: 'something long' }],
    ['/user/passwordpolicy?token=xxxxxxxxxxxx', undefined],
  ])('secrets of %s counts for the same', async (path, body) => {
    expect(await codeOf(path, body)).toBe('TOO_MANY_REQUESTS')
  })

  test('API keys is stopped by address; sessions from there go on', async () => {
    const statuses = new Set<number>()
    for (let n = 0; n < 2000 && !statuses.has(429); n += 50)
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const headers = { 'x-api-key': `lsk_${String(n + index).padStart(43, 'x')}` }
          statuses.add((await fetch(`${strict.url}/api/tenant/fetch/all`, { headers })).status)
        }),
      )
    expect(statuses).toEqual(new Set([401, 429]))
    expect((await strict.api.auth.verify({})).isAuthenticated).toBe(true)
  })
})

test('what fails inside says nothing to the outside', async () => {
  await using broken = await startApp()
  await broken.ctx.db.schema.dropTable('favorites').execute()
  const reply = await fetch(`${broken.url}/api/favorite`, {
    headers: { authorization: `Bearer ${broken.token}` },
  })
  expect(reply.status).toBe(500)
  const body = (await reply.json()) as object
  expect(Object.keys(body).sort()).toEqual(['code', 'message', 'requestId'])
  expect(body).toMatchObject({ code: 'INTERNAL_ERROR', message: 'Something failed on the server' })
})
