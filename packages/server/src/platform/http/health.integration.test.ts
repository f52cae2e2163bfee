import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../../test/kit.ts'

/** A raw request with any `Host`. */
function ask(url: string, path: string, headers: Record<string, string> = {}) {
  const { hostname, port } = new URL(url)
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const sent = request({ hostname, port, path, headers }, async (reply) => {
      let body = ''
      for await (const chunk of reply) body += chunk
      resolve({ status: reply.statusCode, body })
    })
    sent.on('error', reject)
    sent.end()
  })
}

const token = 'a-token-for-metrics'
const shown = { authorization: `Bearer ${token}` }
const told = { status: 200, body: expect.stringContaining('leitstand_') }
const secret = { status: 404, body: expect.stringContaining('NOT_FOUND') }

describe('metrics', () => {
  test('are told to programs on this machine, and to nobody who comes through a proxy or by another name', async () => {
    await using app = await startApp()
    expect(await ask(app.url, '/metrics')).toEqual(told)
    expect(await ask(app.url, '/metrics', { host: 'localhost:8080' })).toEqual(told)
    for (const headers of [
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-real-ip': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
      { via: '1.1 proxy' },
      { 'x-forwarded-proto': 'https' },
      { host: 'rebound.example.org' },
      { host: '127.0.0.1.example.org' },
      { host: 'iot.example.org', authorization: 'Bearer ' },
    ])
      expect(await ask(app.url, '/metrics', headers as unknown as Record<string, string>)).toEqual(secret)
  })

  test('with a token are told to those who show it, from wherever they come', async () => {
    await using app = await startApp({ config: { metrics: { token } } })
    expect(await ask(app.url, '/metrics')).toEqual(secret)
    expect(await ask(app.url, '/metrics', { authorization: `Bearer ${token}x` })).toEqual(secret)
    expect(await ask(app.url, '/metrics', { ...shown, 'x-forwarded-for': '203.0.113.7' })).toEqual(told)
  })

  test('with an address of their own are told there and nowhere else', async () => {
    await using app = await startApp({ config: { metrics: { listen: { host: '127.0.0.1', port: 0 } } } })
    expect(await ask(app.url, '/metrics')).toEqual(secret)
    const own = `http://127.0.0.1:${app.app.metricsPort}`
    expect(await ask(own, '/metrics')).toEqual(told)
    expect(JSON.parse((await ask(own, '/readyz')).body)).toMatchObject({
      status: 'ready',
      problem: null,
      eventLoop: { isSlow: expect.any(Boolean) },
    })
  })

  test('with both need both', async () => {
    const metrics = { token, listen: { host: '127.0.0.1', port: 0 } }
    await using app = await startApp({ config: { metrics } })
    const own = `http://127.0.0.1:${app.app.metricsPort}`
    expect((await ask(own, '/metrics')).status).toBe(401)
    expect(await ask(own, '/metrics', shown)).toEqual(told)
  })
})

test('whether it is ready is for everybody, why not only for those who may know', async () => {
  await using app: TestApp = await startApp({ config: { metrics: { token } } })
  expect(await ask(app.url, '/readyz')).toEqual({ status: 200, body: '{"status":"ready"}' })
  expect(JSON.parse((await ask(app.url, '/readyz', shown)).body)).toMatchObject({ problem: null })
  await app.ctx.db.destroy()
  expect(await ask(app.url, '/readyz')).toEqual({ status: 503, body: '{"status":"not ready"}' })
  expect(JSON.parse((await ask(app.url, '/readyz', shown)).body)).toMatchObject({
    status: 'not ready',
    problem: expect.stringContaining('the database cannot be used'),
  })
})
