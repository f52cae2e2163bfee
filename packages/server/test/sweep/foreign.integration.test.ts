import { beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../kit.ts'
import { encoded } from './operations.ts'

let app: TestApp
let hookKey: string
beforeAll(async () => {
  app = await startApp()
  const { key } = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'webhook-in',
    name: 'Odd messages',
    settings: { preset: 'standard' },
  })
  hookKey = key ?? ''
})

const nul = encoded('a\u0000b')
const half = encoded('x\ud800')
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }

interface Odd {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
}

const places: Odd[] = [nul, half, '%', '%ff%fe', '%c0%80', 'x'.repeat(3000)].flatMap((odd): Odd[] => [
  { path: `/${odd}` },
  { path: `/assets/${odd}` },
  { path: `/?a=${odd}` },
  { path: `/api/${odd}` },
  { path: `/api/virtualdevices?search=${odd}` },
  { path: `/api/live?token=${odd}` },
  { path: `/oauth2/auth?client_id=${odd}&redirect_uri=${odd}&scope=${odd}&state=${odd}&response_type=code` },
  {
    path: '/oauth2/token',
    method: 'POST',
    headers: form,
    body: `grant_type=${odd}&code=${odd}&client_id=${odd}`,
  },
  {
    path: '/oauth2/token',
    method: 'POST',
    headers: form,
    body: `grant_type=refresh_token&refresh_token=${odd}&client_id=${odd}&client_secret=${odd}`,
  },
  {
    path: '/oauth2/token',
    method: 'POST',
    headers: { ...form, authorization: basic(`${decoded(odd)}:${decoded(odd)}`) },
    body: 'grant_type=authorization_code&code=x',
  },
  { path: '/oauth2/introspection', method: 'POST', headers: form, body: `token=${odd}&client_id=${odd}` },
  { path: '/oauth2/revocation', method: 'POST', headers: form, body: `token=${odd}&client_id=${odd}` },
  { path: `/oauth2/session/end?id_token_hint=${odd}&post_logout_redirect_uri=${odd}` },
  { path: '/oauth2/me', headers: { authorization: `Bearer ${odd}` } },
  { path: `/oauth2/${odd}` },
  { path: `/api/sso/${odd}/start` },
  { path: `/api/sso/${odd}/callback?state=${odd}&code=${odd}` },
  { path: `/api/hooks/${odd}`, method: 'POST', headers: json, body: '{}' },
  {
    path: '/api/hooks',
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${odd}`, 'x-api-key': odd },
    body: '{}',
  },
  { path: `/xapi/v1/influxdb/query?q=${odd}&db=${odd}&epoch=${odd}` },
  { path: '/xapi/v1/influxdb/query', headers: { authorization: basic(`u:${decoded(odd)}`) } },
  { path: '/xapi/v1/influxdb/query', method: 'POST', headers: form, body: `q=${odd}` },
  { path: '/api/user/own', headers: { 'x-api-key': odd } },
  { path: '/api/user/own', headers: { cookie: `session=${odd}; sso=${odd}` } },
])

const bodies: Odd[] = [
  ...['{"a":"\\u0000"}', '{"a', '', '[]', '"x"', 'null', '{"__proto__":{"x":1}}'].map((body) => ({
    body,
    headers: json,
  })),
  { body: Uint8Array.of(0x22, 0xff, 0xfe, 0x22), headers: json },
  { body: Uint8Array.of(0xed, 0xa0, 0x80), headers: json },
  { body: '{}', headers: { ...json, 'content-encoding': 'gzip' } },
  { body: '{}', headers: { ...json, 'content-encoding': 'nonsense' } },
  { body: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } },
  { body: '{}', headers: { 'content-type': 'text/xml' } },
  { body: '{}', headers: { 'content-type': '\u00ff' } },
  { body: '--x', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
  { body: '{}', headers: { 'content-type': 'multipart/form-data' } },
].flatMap((odd): Odd[] => [
  { ...odd, path: '/api/auth/login', method: 'POST' },
  { ...odd, path: '/api/virtualdevices', method: 'POST' },
  { ...odd, path: '/api/upload', method: 'POST' },
  { ...odd, path: '/oauth2/token', method: 'POST' },
  { ...odd, path: '/api/hooks/KEY', method: 'POST' },
])

const queries: Odd[] = [
  '/api/virtualdevices?offset=1&offset=2',
  '/api/virtualdevices?offset[a]=1',
  '/api/virtualdevices?offset=1e308&limit=-1',
  '/api/virtualdevices?offset=99999999999999999999',
  '/api/virtualdevices?__proto__[x]=1&constructor=2',
  `/api/virtualdevices?${'a=1&'.repeat(3000)}`,
  `/api/virtualdevices?a${'[a]'.repeat(3000)}=1`,
  `/${'a/'.repeat(5000)}`,
  '/api//virtualdevices',
  '/api/virtualdevices/..%2f..%2fetc',
].map((path) => ({ path }))

function decoded(text: string): string {
  return text === nul ? 'a\u0000b' : text
}

async function statusOf({ path, method = 'GET', headers = {}, body }: Odd, token: string | undefined) {
  const answer = await fetch(`${app.url}${path.replace('KEY', hookKey)}`, {
    method,
    redirect: 'manual',
    headers: token === undefined ? headers : { authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body }),
  })
  await answer.text()
  return answer.status
}

describe('what nobody sends who means well is no failure of the server', () => {
  test.each([
    ['in addresses and forms', places],
    ['as bodies', bodies],
    ['as queries', queries],
  ])('%s', async (_, odd) => {
    const failed: string[] = []
    for (const each of odd)
      for (const token of [undefined, app.token]) {
        const status = await statusOf(each, token)
        if (status >= 500)
          failed.push(
            `${each.method ?? 'GET'} ${each.path.slice(0, 100)} ${String(each.body).slice(0, 60)} ${JSON.stringify(each.headers ?? {}).slice(0, 90)}: ${status}`,
          )
      }
    expect(failed).toEqual([])
  })
})
