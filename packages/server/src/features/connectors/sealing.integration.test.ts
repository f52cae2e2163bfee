import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../../test/kit.ts'
import { Mosquitto } from '../../../test/mosquitto.ts'

/** Passwords of external brokers are encrypted in the database, and still reach the broker. */

/** The broker of the tests is on this machine. */
const config = { allowedNetworks: ['127.0.0.0/8', '::1'] }
let app: TestApp
let mosquitto: Mosquitto
const soon = { timeout: 60_000 }

beforeAll(async () => {
  mosquitto = await Mosquitto.start()
  app = await startApp({ config })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await mosquitto[Symbol.asyncDispose]()
})

const settings = (password: string) => ({
  host: '127.0.0.1',
  port: mosquitto.port,
  username: 'bridge',
  password,
  topics: ['a'],
})
const create = (name: string) =>
  app.api.bridge.create({ accountId: app.rootAccountId, kind: 'mqtt-in', name, settings: settings('secret') })
const stored = async (id: number, of = app): Promise<string> => {
  const { rows } = await of.ctx.pool.query(
    "select settings->>'password' as text from connectors where id = $1",
    [id],
  )
  return rows[0].text
}
const stateOf = async (id: number, of = app) => (await of.api.bridge.get({ id })).state

test('a password is encrypted, a change of something else keeps it, and the broker takes it', async () => {
  const { id } = await create('one')
  await expect.poll(() => stateOf(id), soon).toBe('connected')
  const before = await stored(id)
  expect(before).toMatch(/^sealed:1:/)
  const connector = await app.api.bridge.get({ id })
  const renamed = { ...connector, name: 'another name', settings: settings('') }
  await app.api.bridge.update(renamed)
  expect(await stored(id)).toBe(before)
  const { items } = await app.api.activityLog.list({ subject: 'Connector', objectId: id })
  expect(items[0]?.changes).toEqual({ name: ['one', 'another name'] })
  const moved = { ...renamed, version: renamed.version + 1, settings: { ...settings(''), topics: ['b'] } }
  await app.api.bridge.update(moved)
  await expect.poll(() => stateOf(id), soon).toBe('connected')
})

test('a password stored by an older version is encrypted at the next start and still fits', async () => {
  const { id } = await create('old')
  await app.ctx.pool.query(
    `update connectors set settings = jsonb_set(settings, '{password}', '"secret"') where id = $1`,
    [id],
  )
  await app[Symbol.asyncDispose]()
  app = await startApp({ config, address: app.address })
  expect(await stored(id)).toMatch(/^sealed:1:/)
  await expect.poll(() => stateOf(id), soon).toBe('connected')
})
