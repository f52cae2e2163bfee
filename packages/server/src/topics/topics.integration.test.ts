import { beforeAll, expect, it } from 'vitest'
import { startApp, type TestApp } from '../../test/kit.ts'
import { createConnector, createDevice } from '../../test/pipeline.ts'
import { ruleKit } from '../../test/rules.ts'
import type { EventOf } from '../platform/events/topic.ts'
import { alarmChanged, packetReceived, twinMoved } from './index.ts'

type News = EventOf<typeof alarmChanged> | EventOf<typeof packetReceived> | EventOf<typeof twinMoved>

const news: News[] = []
let app: TestApp

beforeAll(async () => {
  app = await startApp({
    prepare: ({ events }) =>
      events.consume({
        name: 'test',
        topics: [alarmChanged, packetReceived, twinMoved],
        partition: ({ topic }) => topic,
        handle: async (events) => void news.push(...events),
      }),
  })
})

const payloadsOf = (topic: News['topic']) =>
  news.flatMap((event) => (event.topic === topic ? [{ ...event.payload, accountId: event.accountId }] : []))

it('packets and the places of twins are events', async () => {
  const connector = await createConnector(app)
  const deviceId = await createDevice(app, connector, 'tracker')
  const receivedAt = app.ctx.clock.now()
  const send = (data: object) => {
    const packet = { identifier: 'tracker', data, meta: { gateway: 'roof' } }
    const message = { connector, packets: [packet], raw: JSON.stringify(packet), receivedAt }
    return app.app.ingest.submit(message as Parameters<typeof app.app.ingest.submit>[0])
  }
  await send({ latitude: 54.32, longitude: 10.13, battery: 90 })
  await app.drain()
  const accountId = app.rootAccountId
  expect(payloadsOf('packet.received')).toEqual([
    expect.objectContaining({
      accountId,
      deviceId,
      connectorId: connector.id,
      identifier: 'tracker',
      receivedAt: receivedAt.toISOString(),
      encoding: 'json',
      meta: '{"gateway":"roof"}',
      variables: { latitude: 54.32, longitude: 10.13, battery: 90 },
      error: null,
    }),
  ])
  expect(payloadsOf('twin.moved')).toEqual([
    {
      accountId,
      twinId: deviceId,
      latitude: 54.32,
      longitude: 10.13,
      before: null,
      by: 'values',
      timeMs: receivedAt.getTime(),
    },
  ])
})

it('alarms that are raised and resolved are events', async () => {
  const kit = ruleKit(app, { id: app.rootAccountId, scopeId: app.rootScopeId })
  const { twin, temperature, rule } = await kit.warmRule()
  await kit.set(temperature, 31, new Date(Date.now() - 60_000))
  await kit.set(temperature, 20, new Date(Date.now() - 30_000))
  await app.drain()
  const shared = { accountId: app.rootAccountId, twinId: twin.id, ruleId: rule.id, severity: 'warning' }
  expect(payloadsOf('alarm.changed')).toMatchObject([
    { ...shared, message: '31 °C', resolved: false },
    { ...shared, message: '31 °C', resolved: true },
  ])
})
