import type { LiveMove } from '@leitstand/contract/live'
import { beforeAll, expect, test, vi } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { type LiveReader, openLive } from '../../../../test/live.ts'
import { writeValues } from '../../../../test/twins.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let operator: Awaited<ReturnType<typeof createUser>>
const ids: Record<string, number> = {}
const id = (title: string) => ids[title] as number
const axes: Record<string, { latitude: number; longitude: number }> = {}

async function add(title: string, parent: string | null, fields: object = {}): Promise<void> {
  const place = parent === null ? { accountId: account.id } : { parentId: id(parent) }
  ids[title] = (await operator.api.digitaltwin.create({ title, ...place, ...fields })).id
}

/** A twin that its states move. */
async function addTruck(title: string, parent: string): Promise<void> {
  await add(title, parent, { type: 'trackable', latitude: 51, longitude: 11 })
  const state = async (key: 'latitude' | 'longitude') =>
    (await operator.api.state.create({ dtwinId: id(title), key, title: key, source: 'none' })).id
  axes[title] = { latitude: await state('latitude'), longitude: await state('longitude') }
}

const drive = (title: string, place: { latitude?: number; longitude?: number }) =>
  writeValues(
    app,
    (['latitude', 'longitude'] as const).flatMap((axis) => {
      const [value, stateId] = [place[axis], axes[title]?.[axis]]
      return value === undefined || stateId === undefined ? [] : { stateId, value, time: app.ctx.clock.now() }
    }),
  )

/** Collects moves until these twins have moved. */
async function movesOf(reader: LiveReader, ...titles: string[]): Promise<LiveMove[]> {
  const seen: LiveMove[] = []
  await vi.waitFor(
    async () => {
      for (const message of await reader.received()) if (message.kind === 'moves') seen.push(...message.moves)
      for (const title of titles) expect(seen.map(({ twinId }) => twinId)).toContain(id(title))
    },
    { timeout: 60_000 },
  )
  return seen
}

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'Fleet' })
  operator = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  await add('City', null)
  await add('Depot', 'City')
  await addTruck('Truck', 'Depot')
  await addTruck('Van', 'City')
  await add('Hall', 'Depot', { latitude: 50, longitude: 10 })
})

test('positions reach the maps of the twin itself, of those above it, and of all', async () => {
  using reader = await openLive(app, operator.token)
  using other = await openLive(app, operator.token)
  await reader.follow(`moves:${id('Depot')}`)
  await other.follow('moves')
  await drive('Van', { latitude: 52 })
  await drive('Truck', { longitude: 11.5 })
  // The coordinate that was not sent is the one that is known.
  expect(await movesOf(reader, 'Truck')).toEqual([{ twinId: id('Truck'), latitude: 51, longitude: 11.5 }])
  expect(await movesOf(other, 'Truck', 'Van')).toContainEqual({
    twinId: id('Van'),
    latitude: 52,
    longitude: 11,
  })
})

test('a twin that a person moves is among them', async () => {
  using reader = await openLive(app, operator.token)
  await reader.follow(`moves:${id('City')}`)
  const { version, parentId } = await operator.api.digitaltwin.get({ id: id('Hall') })
  await operator.api.digitaltwin.update({
    id: id('Hall'),
    version,
    parentId,
    title: 'Hall',
    latitude: 49,
    longitude: 12,
  })
  expect(await movesOf(reader, 'Hall')).toContainEqual({ twinId: id('Hall'), latitude: 49, longitude: 12 })
})

test('only twins are followed that the caller sees', async () => {
  const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['list'] }])
  const { scopeId } = await operator.api.digitaltwin.createScope({ id: id('Depot') })
  const driver = await createUser(app, account, [{ roleId, scopeId }])
  const stranger = await createUser(app, await createAccount(app), [
    { roleId: await roleNamed(app, 'Operator') },
  ])
  using theirs = await openLive(app, driver.token)
  using foreign = await openLive(app, stranger.token)
  expect((await theirs.follow(`moves:${id('City')}`)).at(-1)).toMatchObject({ kind: 'refused' })
  expect((await foreign.follow(`moves:${id('Depot')}`)).at(-1)).toMatchObject({ kind: 'refused' })
  await theirs.follow('moves')
  await foreign.follow('moves')
  await drive('Van', { latitude: 53 })
  await drive('Truck', { latitude: 54 })
  const seen = await movesOf(theirs, 'Truck')
  expect(new Set(seen.map(({ twinId }) => twinId))).toEqual(new Set([id('Truck')]))
  expect((await foreign.received()).filter(({ kind }) => kind === 'moves')).toEqual([])
})

test('who was away is asked to read everything again', async () => {
  using reader = await openLive(app, operator.token)
  expect(await reader.follow('moves', app.ctx.clock.now().getTime() - 1000)).toMatchObject([
    { kind: 'resync', topic: 'moves' },
    { kind: 'subscribed' },
  ])
})
