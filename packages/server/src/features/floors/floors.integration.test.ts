import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Api,
  createAccount,
  createApi,
  createRole,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { dot } from '../../../test/pictures.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let api: Api
const ids: Record<string, number> = {}
const id = (title: string) => ids[title] as number

const bounds = {
  northEast: { latitude: 49.001, longitude: 12.001 },
  southWest: { latitude: 49, longitude: 12 },
}
const corners = [
  [12, 49.001],
  [12.001, 49.001],
  [12.001, 49],
  [12, 49],
]
/** Turned by a quarter. */
const turned = [corners[1], corners[2], corners[3], corners[0]] as [
  [number, number],
  [number, number],
  [number, number],
  [number, number],
]

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'City' })
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])).api
  const add = async (title: string, parent: string | null, more: object = {}) => {
    ids[title] = (
      await api.digitaltwin.create({
        title,
        accountId: account.id,
        ...(parent === null ? {} : { parentId: id(parent) }),
        ...more,
      })
    ).id
  }
  await add('Town', null)
  await add('Hall', 'Town', { type: 'building' })
  await add('Cellar', 'Hall', { type: 'floor', floorNumber: -1 })
  await add('Ground', 'Hall', { type: 'floor', floorNumber: 0, floorName: 'EG' })
  await add('Attic', 'Hall', { type: 'floor' })
  await add('Wing', 'Hall')
  await add('Upstairs', 'Wing', { type: 'floor', floorNumber: 1 })
  await add('Room', 'Ground', { type: 'room' })
  await add('School', 'Town', { type: 'building' })
  await add('Gym', 'School', { type: 'floor', floorNumber: 0 })
})

const plan = () => new File([dot], 'plan.png')
const upload = (title: string, by = api) =>
  by.upload.post({ file: plan(), object: 'digitalTwin', objectId: id(title), role: 'plan' })
const floorsOf = async (title: string) =>
  (await api.floor.list({ id: id(title) })).items.map((floor) => floor.title)

describe('floors', () => {
  it('of a building are everything below it, from top to bottom', async () => {
    expect(await floorsOf('Hall')).toEqual(['Upstairs', 'Ground', 'Cellar', 'Attic'])
    expect(await floorsOf('Town')).toEqual(['Upstairs', 'Ground', 'Gym', 'Cellar', 'Attic'])
  })

  it('of a floor are those of its building', async () => {
    expect(await floorsOf('Ground')).toEqual(['Upstairs', 'Ground', 'Cellar', 'Attic'])
    expect(await floorsOf('Room')).toEqual([])
  })

  it('are only those the caller sees', async () => {
    const foreign = await createAccount(app)
    const { api: stranger } = await createUser(app, foreign, [{ roleId: await roleNamed(app, 'Operator') }])
    expect(await errorOf(stranger.floor.list({ id: id('Hall') }))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
  })
})

describe('a floor plan', () => {
  it('is placed by its bounds, then by its corners, and is in the activity log', async () => {
    const { id: fileId } = await upload('Ground')
    expect((await api.floor.list({ id: id('Hall') })).items[1]?.overlay).toBeNull()
    const placed = await api.floor.place({ id: id('Ground'), fileId, ...bounds })
    expect(placed).toEqual({ fileId, corners, ...bounds, opacity: 0.8 })
    const moved = await api.floor.place({ id: id('Ground'), fileId, corners: turned, opacity: 0.35 })
    expect(moved).toEqual({ fileId, corners: turned, ...bounds, opacity: 0.35 })
    expect((await api.floor.list({ id: id('Hall') })).items[1]).toEqual({
      twinId: id('Ground'),
      title: 'Ground',
      floorNumber: 0,
      floorName: 'EG',
      overlay: moved,
    })
    const { items } = await app.api.activityLog.list({ offset: 0, limit: 1 })
    expect(items).toMatchObject([{ subject: 'DigitalTwin', objectId: id('Ground'), action: 'update' }])
  })

  it('is replaced by the next picture, which has to be placed again, and removed with it', async () => {
    const first = await upload('Cellar')
    await api.floor.place({ id: id('Cellar'), fileId: first.id, ...bounds })
    const second = await upload('Cellar')
    expect(await errorOf(api.floor.place({ id: id('Cellar'), fileId: first.id, ...bounds }))).toMatchObject({
      code: 'FILE_NOT_FOUND',
    })
    await api.floor.place({ id: id('Cellar'), fileId: second.id, ...bounds })
    await api.floor.remove({ id: id('Cellar') })
    const { items } = await api.upload.list({ object: 'digitalTwin', objectId: id('Cellar') })
    expect(items).toEqual([])
    expect(await errorOf(api.floor.remove({ id: id('Cellar') }))).toMatchObject({ code: 'FILE_NOT_FOUND' })
  })

  it('belongs to floors, is a picture, and is not the file of something else', async () => {
    const { id: roomFile } = await upload('Room')
    expect(await errorOf(api.floor.place({ id: id('Room'), fileId: roomFile, ...bounds }))).toMatchObject({
      code: 'DTWIN_NOT_A_FLOOR',
    })
    const attached = await api.upload.post({ file: plan(), object: 'digitalTwin', objectId: id('Gym') })
    for (const fileId of [roomFile, attached.id, 999_999])
      expect(await errorOf(api.floor.place({ id: id('Gym'), fileId, ...bounds }))).toMatchObject({
        code: 'FILE_NOT_FOUND',
      })
    const text = new File(['no picture'], 'plan.png')
    expect(
      await errorOf(
        api.upload.post({ file: text, object: 'digitalTwin', objectId: id('Gym'), role: 'plan' }),
      ),
    ).toMatchObject({ code: 'FILE_NO_PICTURE' })
    expect(
      await errorOf(api.upload.post({ file: plan(), object: 'deviceDriver', objectId: 1, role: 'plan' })),
    ).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })

  it('lies in one place, given once', async () => {
    const { id: fileId } = await upload('Attic')
    const wrong = [
      {},
      { northEast: bounds.northEast },
      { ...bounds, corners: turned },
      { northEast: bounds.southWest, southWest: bounds.northEast },
      { northEast: { latitude: 89, longitude: 179 }, southWest: { latitude: -89, longitude: -179 } },
      { corners: [turned[1], turned[0], turned[3], turned[2]] as typeof turned },
      { ...bounds, opacity: 1.1 },
    ]
    for (const place of wrong)
      expect(
        await errorOf(api.floor.place({ id: id('Attic'), fileId, ...place })),
        JSON.stringify(place),
      ).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })

  it('is changed by those who may change the twin', async () => {
    const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read'] }])
    const { api: reader } = await createUser(app, account, [{ roleId }])
    const { id: fileId } = await upload('Upstairs')
    for (const call of [
      () => reader.floor.place({ id: id('Upstairs'), fileId, ...bounds }),
      () => reader.floor.remove({ id: id('Upstairs') }),
      () => upload('Upstairs', reader),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'NO_PERMISSION' })
  })
})

describe('a link', () => {
  it('shows the floors below what it shares, with their plans', async () => {
    const { id: fileId } = await upload('Ground')
    await api.floor.place({ id: id('Ground'), fileId, ...bounds })
    const visitor = createApi(app.url)
    const { token: key } = await api.sharing.createKey({ id: id('Hall') })
    const titles = async (twinId: number) =>
      (await visitor.shared.floors({ key, twinId })).items.map(({ title }) => title)
    expect(await titles(id('Hall'))).toEqual(['Upstairs', 'Ground', 'Cellar', 'Attic'])
    const path = (title: string) => `${app.url}/api/public/${key}/map/${id(title)}/plan`
    const answer = await fetch(path('Ground'))
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
      200,
      expect.stringContaining('attachment'),
    ])
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(dot))
    const again = { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } }
    expect((await fetch(path('Ground'), again)).status).toBe(304)
    for (const title of ['Gym', 'Cellar', 'Town']) expect((await fetch(path(title))).status).toBe(404)

    const { token: own } = await api.sharing.createKey({ id: id('Ground') })
    const { items } = await visitor.shared.floors({ key: own, twinId: id('Ground') })
    expect(items.map(({ title }) => title)).toEqual(['Ground'])
    expect(await errorOf(visitor.shared.floors({ key: own, twinId: id('Hall') }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
  })
})
