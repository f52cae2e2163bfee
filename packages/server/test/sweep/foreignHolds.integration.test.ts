import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp } from '../kit.ts'
import { startSender } from './sender.ts'

const heldMsMax = 50

let sender: ReturnType<typeof startSender>
let token: string
let hook: string
beforeAll(async () => {
  const app = await startApp()
  const { key } = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'webhook-in',
    name: 'Heavy messages',
    settings: { preset: 'standard' },
  })
  hook = key ?? ''
  token = app.token
  sender = startSender(app.url)
})
afterAll(() => sender[Symbol.asyncDispose]())

const room = 1_000_000
const wide = `[${'[],'.repeat(room / 3)}[]]`
const named = JSON.stringify(Object.fromEntries(Array.from({ length: 70_000 }, (_, n) => [`k${n}`, 1])))

test.each([
  ['many lists', wide],
  [
    'many packets',
    JSON.stringify(Array.from({ length: 25_000 }, (_, n) => ({ identifier: `d${n}`, data: '00' }))),
  ],
  ['many names', named],
  ['a packet of many names', `{"identifier":"a","payload":${named}}`],
  ['deep lists', '['.repeat(room / 2) + ']'.repeat(room / 2)],
  ['one long text', JSON.stringify({ identifier: 'a', data: '0a'.repeat(room / 2) })],
])('a message of %s for a webhook holds up nobody', async (_, body) => {
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', path: `/api/hooks/${hook}`, headers, body }
  const { heldMs, status } = await sender.sendAgain(request, heldMsMax)
  expect(status).toBeLessThan(500)
  expect(heldMs).toBeLessThan(heldMsMax)
})

test.each([
  ['brackets', '('.repeat(room)],
  ['conditions', `select mean(value) from a where ${'time > 1 and '.repeat(60_000)}time > 1`],
  ['statements', 'select value from a;'.repeat(40_000)],
  ['a name', `select "${'a'.repeat(room)}" from a`],
  ['an expression', `show tag values with key =~ /${'(a+)+'.repeat(50_000)}$/`],
  ['blanks', `select${' '.repeat(room)}x`],
])('a query of %s holds up nobody', async (_, q) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: `Bearer ${token}` }
  const request = {
    method: 'POST',
    path: '/xapi/v1/influxdb/query',
    headers,
    body: `q=${encodeURIComponent(q)}`,
  }
  const { heldMs, status } = await sender.sendAgain(request, heldMsMax)
  expect(status).toBeLessThan(500)
  expect(heldMs).toBeLessThan(heldMsMax)
})
