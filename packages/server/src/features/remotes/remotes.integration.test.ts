import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import {
  ChirpStack,
  chirpStackApplication,
  chirpStackKey,
  TheThingsStack,
  ttsKey,
} from '../../../test/networkServers.ts'
import { createState } from '../../../test/pipeline.ts'

const eui = 'A81758FFFE000001'
let app: TestApp
let tts: TheThingsStack
let chirpstack: ChirpStack
/** a user who manages devices, but no connectors */
let api: Api
let token: string
let account: { id: number; scopeId: number }
let serial = 0

beforeAll(async () => {
  tts = await new TheThingsStack().listen()
  chirpstack = await new ChirpStack().listen()
  app = await startApp({ config: { allowedNetworks: ['127.0.0.1'] } })
  account = await createAccount(app, { name: 'City' })
  const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Device manager') }])
  api = user.api
  token = (await app.login(user.username)).token
})
afterAll(async () => {
  await tts[Symbol.asyncDispose]()
  await chirpstack[Symbol.asyncDispose]()
})
beforeEach(() => {
  for (const server of [tts, chirpstack]) {
    server.failing = undefined
    server.asked.length = 0
  }
  tts.devices = [
    {
      ids: { device_id: 'cellar-7', dev_eui: eui },
      name: 'Cellar 7',
      description: 'by the stairs',
      last_seen_at: '2026-06-01T10:00:00.123456789Z',
      locations: { user: { latitude: 53.55, source: 'SOURCE_REGISTRY' } },
    },
    { ids: { device_id: 'abp-1' } },
    { ids: { device_id: 'roof-2', dev_eui: 'A81758FFFE000002' }, name: 'Roof' },
  ]
  chirpstack.devices = [
    { devEui: eui.toLowerCase(), name: 'Cellar 7', lastSeenAt: '2026-06-01T10:00:00.5Z' },
    { devEui: 'a81758fffe000002', name: 'Roof', description: 'north side' },
    { devEui: 'a81758fffe000003', name: 'Foreign', applicationId: '00000000-0000-4000-8000-000000000000' },
  ]
})

const accessTo = {
  'tts-v3': () => ({ remoteUrl: tts.url, remoteApplication: 'app1', remoteKey: ttsKey }),
  'chirpstack-v4': () => ({
    remoteUrl: chirpstack.url,
    remoteApplication: chirpStackApplication,
    remoteKey: chirpStackKey,
  }),
}
type System = keyof typeof accessTo

const settingsOf = (system: System, changes: object = {}) => ({
  preset: system,
  remote: system,
  ...accessTo[system](),
  ...changes,
})
const connect = (system: System, changes: object = {}) =>
  app.api.bridge.create({
    accountId: account.id,
    kind: 'webhook-in',
    name: `Network ${++serial}`,
    settings: settingsOf(system, changes),
  })
const newDevice = (connectorId: number, externalId = eui, changes: object = {}) =>
  api.virtualdevice.create({ connectorId, externalId, title: 'Cellar', ...changes })
const devicesOf = async (connectorId: number) =>
  (await api.virtualdevice.list({ connector_ids: [connectorId], order_by: 'externalId' })).items

describe('access to a network server', () => {
  test('is tried before it is stored, and its key is never sent back', async () => {
    const wrong = await errorOf(connect('chirpstack-v4', { remoteKey: 'wrong' }))
    expect(wrong).toMatchObject({
      code: 'BRIDGE_CONNECTION_FAILED',
      data: { checks: [{}, { name: 'remote', ok: false, message: 'HTTP 401 Authentication failed' }] },
    })
    const connector = await connect('chirpstack-v4')
    expect(connector).toMatchObject({ remote: 'chirpstack-v4', settings: { remoteKey: '' } })
    const { settings } = await app.ctx.db
      .selectFrom('connectors')
      .select('settings')
      .where('id', '=', connector.id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(settings)).not.toContain(chirpStackKey)
    // An empty key means the stored one, but not for another address.
    const same = await app.api.bridge.update({ ...connector, name: 'Renamed' })
    const moved = { ...same, settings: { ...same.settings, remoteUrl: tts.url } }
    expect(await errorOf(app.api.bridge.update(moved))).toMatchObject({
      data: { checks: [{ name: 'settings' }, { name: 'remoteKey', ok: false }] },
    })
    expect(tts.asked).toEqual([])
  })

  test.each([
    ['no key', { remoteKey: '' }],
    ['no address', { remoteUrl: '' }],
    ['an application that can be none', { remoteApplication: '../x' }],
    ['an address nobody may connect to', { remoteUrl: 'http://10.0.0.1' }],
  ])('with %s is refused', async (_, changes) => {
    const { code } = await errorOf(connect('tts-v3', changes))
    expect(['BRIDGE_INVALID_SETTINGS', 'BRIDGE_CONNECTION_FAILED']).toContain(code)
  })
})

describe('the devices of a network server', () => {
  test('of The Things Stack are listed page by page, with what is here already', async () => {
    const { id } = await connect('tts-v3')
    const device = await newDevice(id)
    expect(await api.remote.devices({ id, limit: 2 })).toEqual({
      total: 3,
      offset: 0,
      limit: 2,
      items: [
        {
          remoteId: 'cellar-7',
          externalId: eui,
          name: 'Cellar 7',
          description: 'by the stairs',
          lastSeen: '2026-06-01T10:00:00.123Z',
          latitude: 53.55,
          longitude: 0,
          known: true,
          deviceId: device.id,
        },
        {
          remoteId: 'abp-1',
          externalId: 'abp-1',
          name: '',
          description: '',
          lastSeen: null,
          latitude: null,
          longitude: null,
          known: false,
          deviceId: null,
        },
      ],
    })
    const next = await api.remote.devices({ id, limit: 2, offset: 2 })
    expect(next.items.map(({ remoteId }) => remoteId)).toEqual(['roof-2'])
    const byEui = await api.remote.devices({ id, search: 'a8-17-58-ff-fe-00-00-02' })
    expect(byEui.items.map(({ name }) => name)).toEqual(['Roof'])
    expect((await api.remote.devices({ id, search: 'nowhere' })).items).toEqual([])
  })

  test('of ChirpStack are listed page by page', async () => {
    const { id } = await connect('chirpstack-v4')
    const { items, total } = await api.remote.devices({ id, limit: 1, offset: 1 })
    expect({ items, total }).toMatchObject({
      total: 2,
      items: [{ remoteId: 'a81758fffe000002', externalId: 'A81758FFFE000002', description: 'north side' }],
    })
    const found = await api.remote.devices({ id, search: 'cellar' })
    expect(found.items.map(({ lastSeen }) => lastSeen)).toEqual(['2026-06-01T10:00:00.500Z'])
  })

  test('are for those who may add devices to the connector', async () => {
    const { id } = await connect('tts-v3')
    const stranger = await createUser(app, await createAccount(app, { name: 'Elsewhere' }), [
      { roleId: await roleNamed(app, 'Device manager') },
    ])
    for (const call of [
      () => stranger.api.remote.devices({ id }),
      () => stranger.api.remote.import({ title: 'Import', connectorId: id, selection: { search: '' } }),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'CONNECTOR_NOT_FOUND' })
    expect(tts.asked.slice(1)).toEqual([])
  })
})

describe('what goes wrong at a network server', () => {
  const code = async (id: number) => (await errorOf(api.remote.devices({ id }))).code

  test('without access: REMOTE_NOT_SUPPORTED; switched off: CONNECTOR_DISABLED', async () => {
    const { id } = await connect('tts-v3', { remote: 'none' })
    expect(await code(id)).toBe('REMOTE_NOT_SUPPORTED')
    const off = await connect('tts-v3')
    await app.api.bridge.update({ ...off, enabled: false })
    expect(await code(off.id)).toBe('CONNECTOR_DISABLED')
  })

  test('is said with its own words: REMOTE_REFUSED, REMOTE_UNREACHABLE, REMOTE_ANSWER_INVALID', async () => {
    const { id } = await connect('tts-v3')
    const answers = (status: number, body: string) => {
      tts.failing = (response) => response.writeHead(status).end(body)
      return errorOf(api.remote.devices({ id }))
    }
    expect(await answers(403, '{"message":"no rights"}')).toMatchObject({
      code: 'REMOTE_REFUSED',
      data: { status: 403, detail: 'HTTP 403 no rights' },
    })
    expect(await answers(503, 'later')).toMatchObject({ code: 'REMOTE_UNREACHABLE' })
    expect(await answers(200, '<html>')).toMatchObject({ code: 'REMOTE_ANSWER_INVALID' })
    expect(await answers(200, '[]')).toMatchObject({ code: 'REMOTE_ANSWER_INVALID' })
    tts.failing = (response) => response.destroy()
    expect(await code(id)).toBe('REMOTE_UNREACHABLE')
  })
})

describe('an import from a network server', () => {
  const run = async (connectorId: number, selection: { remoteIds: string[] } | { search: string }) => {
    const job = await api.remote.import({
      title: 'From the network',
      connectorId,
      selection,
      tags: ['new'],
      operationalStatus: 3,
    })
    await app.drain()
    return api.job.get({ id: job.id })
  }

  test('creates those that are not here yet, with their names and positions', async () => {
    const { id } = await connect('tts-v3')
    await newDevice(id, 'A81758FFFE000002')
    expect(await run(id, { search: '' })).toMatchObject({ state: 'done', total: 2, result: { done: 2 } })
    const made = await devicesOf(id)
    expect(made.map(({ externalId, title, latitude, tags }) => [externalId, title, latitude, tags])).toEqual([
      [eui, 'Cellar 7', 53.55, ['new']],
      ['A81758FFFE000002', 'Cellar', null, []],
      ['abp-1', 'abp-1', null, ['new']],
    ])
    expect(await errorOf(run(id, { search: '' }))).toMatchObject({ code: 'REMOTE_NOTHING_NEW' })
    const entries = (await app.api.activityLog.list({ accountIds: [account.id] })).items
    expect(entries.map(({ changes }) => changes)).toContainEqual(
      expect.objectContaining({ fileName: 'network server', rows: 2 }),
    )
  })

  test('creates the chosen ones', async () => {
    const { id } = await connect('chirpstack-v4')
    await run(id, { remoteIds: ['a81758fffe000002'] })
    expect(await devicesOf(id)).toMatchObject([{ externalId: 'A81758FFFE000002', title: 'Roof' }])
    // Of another application, and of none.
    for (const remoteId of ['a81758fffe000003', 'a81758fffe0000ff'])
      expect(await errorOf(run(id, { remoteIds: [remoteId] }))).toMatchObject({
        code: 'REMOTE_DEVICE_NOT_FOUND',
        data: { remoteId },
      })
  })

  test('of more devices than a job may have: BACKGROUND_JOB_TOO_LARGE', async () => {
    const { id } = await connect('tts-v3')
    tts.devices = Array.from({ length: 501 }, (_, at) => ({ ids: { device_id: `device-${at}` } }))
    expect(await errorOf(run(id, { search: '' }))).toMatchObject({
      code: 'BACKGROUND_JOB_TOO_LARGE',
      data: { devicesMax: 500 },
    })
  })
})

describe('deleting remotely', () => {
  const remove = (id: number) => api.virtualdevice.delete({ id, delete_remotely: true })
  const isHere = async (id: number) => (await api.virtualdevice.list({ ids: [id] })).total === 1

  test('deletes at every server of The Things Stack, then here', async () => {
    const { id } = await connect('tts-v3')
    const device = await newDevice(id)
    Object.assign(tts.devices[0] ?? {}, { join_server_address: 'js.maker.example' })
    tts.asked.length = 0
    // As the specification has it: an option of the address.
    const reply = await fetch(`${app.url}/api/virtualdevice/${device.id}?delete_remotely=true`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(reply.status).toBe(200)
    expect(tts.asked.filter((line) => line.startsWith('DELETE'))).toEqual([
      'DELETE /api/v3/as/applications/app1/devices/cellar-7',
      'DELETE /api/v3/ns/applications/app1/devices/cellar-7',
      'DELETE /api/v3/applications/app1/devices/cellar-7',
    ])
    expect(await isHere(device.id)).toBe(false)
    const [entry] = (await app.api.activityLog.list({ subject: 'VirtualDevice', objectId: device.id })).items
    expect(entry).toMatchObject({ action: 'delete', changes: { remotely: true } })
  })

  test('of ChirpStack deletes there and here, and what is gone there counts as deleted', async () => {
    const { id } = await connect('chirpstack-v4')
    const device = await newDevice(id)
    await remove(device.id)
    expect(chirpstack.devices.map(({ name }) => name)).toEqual(['Roof', 'Foreign'])
    const gone = await newDevice(id)
    await remove(gone.id)
    expect(await isHere(gone.id)).toBe(false)
    // A device of another application does not belong to this connector.
    const foreign = await newDevice(id, 'A81758FFFE000003')
    await remove(foreign.id)
    expect(chirpstack.devices.map(({ name }) => name)).toEqual(['Roof', 'Foreign'])
  })

  test('leaves the device here when it fails there', async () => {
    const { id } = await connect('tts-v3')
    const device = await newDevice(id)
    tts.failing = (response) => response.writeHead(500).end()
    expect(await errorOf(remove(device.id))).toMatchObject({ code: 'REMOTE_UNREACHABLE' })
    tts.failing = undefined
    Object.assign(tts.devices[0] ?? {}, { network_server_address: 'elsewhere.example' })
    expect(await errorOf(remove(device.id))).toMatchObject({ code: 'REMOTE_REFUSED' })
    expect(await isHere(device.id)).toBe(true)
    expect(tts.devices).toHaveLength(3)
  })

  test('does not take a refused key for a device that is gone', async () => {
    for (const [system, server] of [['tts-v3', tts] as const, ['chirpstack-v4', chirpstack] as const]) {
      const connector = await connect(system)
      const device = await newDevice(connector.id)
      server.failing = (response) => response.writeHead(404).end('{"code":5,"message":"api_key_not_found"}')
      expect(await errorOf(remove(device.id))).toMatchObject({ code: 'REMOTE_REFUSED' })
      expect(await isHere(device.id)).toBe(true)
    }
  })

  test('asks nobody while states of the device are aggregated elsewhere', async () => {
    const { id } = await connect('tts-v3')
    const device = await newDevice(id)
    const stateId = await createState(app, device.id, { key: 'level' })
    const twin = await api.digitaltwin.create({ title: 'Sum', accountId: account.id })
    await createState(app, twin.id, {
      key: 'sum',
      source: 'aggregate',
      of: { stateIds: [stateId], method: 'sum' },
    })
    tts.asked.length = 0
    expect(await errorOf(remove(device.id))).toMatchObject({ code: 'VDEVICE_DELETE_STATES_AGGREGATED' })
    expect(tts.asked).toEqual([])
  })

  test('without access to a network server deletes nothing: REMOTE_NOT_SUPPORTED', async () => {
    const { id } = await connect('tts-v3', { remote: 'none' })
    const device = await newDevice(id)
    expect(await errorOf(remove(device.id))).toMatchObject({ code: 'REMOTE_NOT_SUPPORTED' })
    await api.virtualdevice.delete({ id: device.id })
    expect(await isHere(device.id)).toBe(false)
  })

  test('of many tells for each what came of it, and is tried again for those that failed', async () => {
    const connector = await connect('tts-v3')
    const alone = await connect('tts-v3', { remote: 'none' })
    const [fine, kept] = [await newDevice(connector.id), await newDevice(connector.id, 'A81758FFFE000002')]
    const local = await newDevice(alone.id)
    const ids = [fine.id, kept.id, local.id]
    expect(await api.bulk.selection({ selection: { ids } })).toMatchObject({ devices: 3, remote: 2 })
    Object.assign(tts.devices[2] ?? {}, { network_server_address: 'elsewhere.example' })
    const { id } = await api.bulk.edit({
      title: 'Taken down',
      selection: { ids },
      mode: { kind: 'delete', count: 3, delete_remotely: true },
    })
    await app.drain()
    expect(await api.job.get({ id })).toMatchObject({
      state: 'done',
      type: 'virtualdevice-bulk-delete-remotely',
      result: { done: 2, failed: 1, 'failed:REMOTE_REFUSED': 1 },
    })
    const rows = async () => (await api.job.rows({ id })).items
    expect((await rows()).map(({ state, faults }) => [state, ...faults])).toEqual([
      ['done'],
      ['failed', { code: 'REMOTE_REFUSED', column: null, detail: expect.stringContaining('elsewhere') }],
      ['done'],
    ])
    expect(tts.devices.map(({ ids: { device_id } }) => device_id)).toEqual(['abp-1', 'roof-2'])
    expect(await Promise.all(ids.map(isHere))).toEqual([false, true, false])
    const changesOf = async (objectId: number) =>
      (await app.api.activityLog.list({ subject: 'VirtualDevice', objectId })).items[0]?.changes
    expect(await changesOf(fine.id)).toEqual({ remotely: true })
    expect(await changesOf(local.id)).toBeNull()
    Object.assign(tts.devices[1] ?? {}, { network_server_address: undefined })
    await api.job.retry({ id })
    await app.drain()
    expect((await rows()).map(({ state }) => state)).toEqual(['done', 'done', 'done'])
    expect(tts.devices.map(({ ids: { device_id } }) => device_id)).toEqual(['abp-1'])
  })
})

describe('synchronizing', () => {
  const entriesOf = async (objectId: number) =>
    (await app.api.activityLog.list({ subject: 'VirtualDevice', objectId })).items

  test('takes over what is missing here and reports the rest, with an entry each', async () => {
    const { id } = await connect('tts-v3')
    const device = await newDevice(id)
    const first = await api.remote.synchronize({ id: device.id })
    expect(first).toMatchObject({
      taken: ['description', 'position'],
      differences: ['title'],
      remote: { name: 'Cellar 7', lastSeen: '2026-06-01T10:00:00.123Z' },
      device: { title: 'Cellar', description: 'by the stairs', latitude: 53.55, longitude: 0 },
    })
    const second = await api.remote.synchronize({ id: device.id, take: ['title'] })
    expect(second).toMatchObject({ taken: ['title'], differences: [], device: { title: 'Cellar 7' } })
    expect(await api.remote.synchronize({ id: device.id })).toMatchObject({ taken: [] })
    expect((await entriesOf(device.id)).map(({ action, changes }) => [action, changes])).toMatchObject([
      ['synchronize', null],
      ['synchronize', { title: { before: 'Cellar', after: 'Cellar 7' } }],
      ['synchronize', { description: { before: '', after: 'by the stairs' } }],
      ['create', null],
    ])
  })

  test('of a device that is not there: REMOTE_DEVICE_NOT_FOUND, and of none: VDEVICE_NOT_FOUND', async () => {
    for (const system of ['tts-v3', 'chirpstack-v4'] as const) {
      const { id } = await connect(system)
      const device = await newDevice(id, 'A81758FFFE0000FF')
      expect(await errorOf(api.remote.synchronize({ id: device.id }))).toMatchObject({
        code: 'REMOTE_DEVICE_NOT_FOUND',
        status: 404,
      })
      expect(await entriesOf(device.id)).toHaveLength(1)
    }
    expect(await errorOf(api.remote.synchronize({ id: 999_999 }))).toMatchObject({
      code: 'VDEVICE_NOT_FOUND',
    })
  })
})

test('a device is read bare, without the twins above it', async () => {
  const connector = await connect('tts-v3', { remote: 'none' })
  const room = await api.digitaltwin.create({ title: 'Room', accountId: account.id })
  const { id } = await newDevice(connector.id, eui, { parentId: room.id })
  expect((await api.virtualdevice.get({ id })).ancestors).toMatchObject([{ title: 'Room' }])
  const options = ['bare', 'no_descendents'] as const
  expect(await api.virtualdevice.get({ id, options: [...options] })).toMatchObject({ id, ancestors: [] })
})
