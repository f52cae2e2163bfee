import { limits } from '@leitstand/contract/common'
import { errorCatalogue } from '@leitstand/contract/errors'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorOf, startApp, type TestApp } from '../../../test/kit.ts'

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

  test('a body that is no JSON at all', async () => {
    await expectError(await call('POST', '/api/auth/login', 'a=1', 'text/plain'), 400, 'BODY_NOT_JSON')
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

test('too many attempts to sign in from one address are stopped, whoever they are for', async () => {
  await using strict = await startApp({ config: { signInsPerMinute: 5 } })
  const codes: string[] = []
  // The kit itself has signed in once.
  for (let i = 0; i < 5; i++) codes.push((await errorOf(strict.login(`nobody ${i}`, 'guess'))).code)
  expect(codes).toEqual([...Array(4).fill('AUTH_LOGIN_PASSWORD_MISMATCH'), 'TOO_MANY_REQUESTS'])
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
