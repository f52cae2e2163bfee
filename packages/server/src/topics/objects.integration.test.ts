import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createUser, errorOf, roleNamed, startApp, type TestApp, testPassword } from '../../test/kit.ts'
import { createConnector } from '../../test/pipeline.ts'
import { recordActivity } from '../features/activity/index.ts'
import type { EventOf } from '../platform/events/topic.ts'
import { system } from '../platform/http/caller.ts'
import { objectChanged, objectDeleted, twinMoved } from './index.ts'

type News = EventOf<typeof objectChanged> | EventOf<typeof objectDeleted> | EventOf<typeof twinMoved>

const news: News[] = []
let app: TestApp

beforeAll(async () => {
  app = await startApp({
    prepare: ({ events }) =>
      events.consume({
        name: 'test',
        topics: [objectChanged, objectDeleted, twinMoved],
        partition: ({ topic }) => topic,
        handle: async (events) => void news.push(...events),
      }),
  })
})
beforeEach(async () => {
  await app.drain()
  news.length = 0
})

/** What arrived since the last call, each as often as it did. */
async function arrived() {
  await app.drain()
  return news.splice(0).map(({ topic, accountId, payload }) => ({ topic, accountId, ...payload }))
}

const changed = (kind: string, id: number, action: string) => ({
  topic: 'object.changed',
  accountId: app.rootAccountId,
  kind,
  id,
  action,
})
const moved = (
  twinId: number,
  latitude: number | null,
  longitude: number | null,
  before: { latitude: number; longitude: number } | null = null,
) => ({
  topic: 'twin.moved',
  accountId: app.rootAccountId,
  twinId,
  latitude,
  longitude,
  before,
  by: 'edit',
  timeMs: null,
})
const deleted = (kind: string, id: number) => ({
  topic: 'object.deleted',
  accountId: app.rootAccountId,
  kind,
  id,
})

/** Topics are separate partitions, so only the order within a topic is certain. */
const byTopic = (events: Awaited<ReturnType<typeof arrived>>) =>
  events.toSorted((a, b) => a.topic.localeCompare(b.topic))

test('a twin that a person creates, edits, moves and deletes', async () => {
  const place = { latitude: 54.3, longitude: 10.1 }
  const twin = await app.api.digitaltwin.create({ title: 'Hall', accountId: app.rootAccountId, ...place })
  const { id } = twin
  expect(byTopic(await arrived())).toEqual([changed('DigitalTwin', id, 'create'), moved(id, 54.3, 10.1)])
  const edit = async (fields: object) => {
    const { parentId, ...before } = await app.api.digitaltwin.get({ id })
    await app.api.digitaltwin.update({ ...before, parentId, ...fields })
    return byTopic(await arrived())
  }
  expect(await edit({ title: 'Great hall' })).toEqual([changed('DigitalTwin', id, 'update')])
  expect(await edit({ latitude: 54.4 })).toEqual([
    changed('DigitalTwin', id, 'update'),
    moved(id, 54.4, 10.1, place),
  ])
  expect(await edit({ latitude: null, longitude: null })).toEqual([
    changed('DigitalTwin', id, 'update'),
    moved(id, null, null, { ...place, latitude: 54.4 }),
  ])
  await app.api.digitaltwin.delete({ id })
  expect(await arrived()).toEqual([deleted('DigitalTwin', id)])
})

test('devices that a person creates and a job edits, each once', async () => {
  const connector = await createConnector(app)
  const ids: number[] = []
  for (const externalId of ['a', 'b', 'c']) {
    const place = externalId === 'a' ? { latitude: 1, longitude: 2 } : {}
    const device = { title: externalId, externalId, connectorId: connector.id, ...place }
    ids.push((await app.api.virtualdevice.create(device)).id)
  }
  expect(byTopic(await arrived())).toEqual([
    ...ids.map((id) => changed('VirtualDevice', id, 'create')),
    moved(ids[0] as number, 1, 2),
  ])
  const mode = { kind: 'edit', changes: { operationalStatus: 3 } } as const
  await app.api.bulk.edit({ title: 'A bulk edit', selection: { ids }, mode })
  const sorted = (await arrived()).sort((a, b) => ('id' in a && 'id' in b ? a.id - b.id : 0))
  expect(sorted).toEqual(ids.map((id) => changed('VirtualDevice', id, 'update')))
})

test('devices that an import creates', async () => {
  const connector = await createConnector(app)
  const file = new File(['DevEUI;Name;Breite;Länge\r\ni-1;One;53.5;9.9\r\ni-2;Two;;'], 'devices.csv')
  const { id: uploadId } = await app.api.bulk.upload({ file })
  const columns = (['externalId', 'title', 'latitude', 'longitude'] as const).map((target, column) => ({
    column,
    target,
  }))
  await arrived()
  const settings = { connectorId: connector.id, columns }
  await app.api.bulk.import({ title: 'An import', uploadId, settings })
  const events = byTopic(await arrived())
  const { items } = await app.api.virtualdevice.list({ connector_ids: [connector.id] })
  const ids = items.map(({ id }) => id).sort((a, b) => a - b)
  expect(events).toEqual([
    ...ids.map((id) => changed('VirtualDevice', id, 'create')),
    moved(ids[0] as number, 53.5, 9.9),
  ])
})

test('nothing of a transaction that is rolled back, and nothing of a refused change', async () => {
  const rolledBack = app.ctx.db.transaction().execute(async (tx) => {
    await recordActivity(tx, system('test'), {
      action: 'update',
      subject: 'Thing',
      objectId: 1,
      objectTitle: '',
      accountId: app.rootAccountId,
    })
    throw new Error('rolled back')
  })
  await expect(rolledBack).rejects.toThrow('rolled back')
  const { id } = await app.api.digitaltwin.create({ title: 'Yard', accountId: app.rootAccountId })
  await arrived()
  const { parentId, ...before } = await app.api.digitaltwin.get({ id })
  const late = { ...before, parentId, latitude: 1, longitude: 1, version: before.version + 1 }
  expect(await errorOf(app.api.digitaltwin.update(late))).toMatchObject({ code: 'VERSION_CONFLICT' })
  expect(await arrived()).toEqual([])
})

test('a login leaves the user as it is', async () => {
  const user = await createUser(app, { id: app.rootAccountId, scopeId: app.rootScopeId }, [
    { roleId: await roleNamed(app, 'Operator') },
  ])
  await arrived()
  await app.api.auth.login({ username: user.username, password: testPassword })
  expect(await arrived()).toEqual([])
})
