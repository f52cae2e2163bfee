import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LiveServerMessage } from '@leitstand/contract/live'
import mqtt from 'mqtt'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createAccount, createRole, createUser, startApp } from '../../../test/kit.ts'

const file = (name: string) => fileURLToPath(new URL(`../../../test/certificates/${name}`, import.meta.url))

/** A live connection that follows one topic, with all messages it received. */
async function follow(url: string, token: string, topic: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/live`)
  const told: LiveServerMessage[] = []
  socket.on('message', (data) => told.push(JSON.parse(String(data)) as LiveServerMessage))
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(JSON.stringify({ kind: 'hello', token }))
  socket.send(JSON.stringify({ kind: 'subscribe', topic }))
  await expect.poll(() => told.length).toBe(2)
  return { told, [Symbol.dispose]: () => socket.terminate() }
}

test('who looks at a connector sees its state and its traffic move; strangers do not', async () => {
  await using app = await startApp()
  const connector = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'webhook-in',
    name: 'Live',
    settings: {},
  })
  const topic = `connector:${connector.id}` as const
  using view = await follow(app.url, app.token, topic)
  const roleId = await createRole(app, [{ subject: 'all', actions: ['manage'] }])
  const stranger = await createUser(app, await createAccount(app), [{ roleId }])
  using blind = await follow(app.url, stranger.token, topic)

  await fetch(`${app.url}/api/hooks/${connector.key}`, { method: 'POST', body: '[]' })
  await app.api.bridge.traffic({ id: connector.id })
  await app.api.bridge.update({ ...connector, enabled: false })
  await expect.poll(() => view.told.length).toBe(4)
  expect(view.told.slice(1)).toMatchObject([
    { kind: 'subscribed', topic },
    { kind: 'traffic', topic, connectorId: connector.id, count: 1 },
    { kind: 'connector', topic, connectorId: connector.id, state: 'disabled' },
  ])
  const { lastMessageAt } = await app.api.bridge.get({ id: connector.id })
  expect(Date.parse(lastMessageAt ?? '')).toBeLessThanOrEqual(Date.now())
  expect(blind.told).toMatchObject([{ kind: 'welcome' }, { kind: 'refused', topic, code: 'NO_PERMISSION' }])
})

test('the built-in broker listens with TLS where a certificate is given', async () => {
  const mqttTls = { port: 0, certFile: file('localhost.crt'), keyFile: file('localhost.key') }
  await using app = await startApp({ config: { mqttTls } })
  const connector = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'mqtt-broker',
    name: 'TLS',
    settings: { username: 'city', password: 'correct horse' },
  })
  const address = connector.endpoints.find((endpoint) => endpoint.startsWith('mqtts:')) ?? ''
  const client = await mqtt.connectAsync(address, {
    username: 'city',
    password: 'correct horse',
    ca: readFileSync(file('localhost.crt')),
  })
  await client.publishAsync('city/nobody', '1', { qos: 1 })
  await client.endAsync()
  expect(await app.api.letters.list({ id: connector.id })).toMatchObject({ total: 1 })
})
