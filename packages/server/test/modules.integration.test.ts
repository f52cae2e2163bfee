import { contract } from '@leitstand/contract'
import { modules } from '@leitstand/contract/modules'
import type { ModuleKey, Subject } from '@leitstand/contract/permissions'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Api, createAccount, createUser, errorOf, roleNamed, startApp, type TestApp } from './kit.ts'
import { createState, createTwin } from './twins.ts'

/** The parts of the platform for facilities, each switched off and on again with what is in it. */

type Nouns = 'isFmTicket' | 'isfmAccessMgmt' | 'isAssetMgmt' | 'isWarnapp'

interface Part {
  module: ModuleKey
  subject: Subject
  noun: Nouns
  /** the lists of what was made, as those who manage facilities read them */
  read: (api: Api) => Promise<object[]>
  make: (api: Api, world: World) => Promise<unknown>
}

interface World {
  accountId: number
  /** who manages facilities, and has a key */
  userId: number
  twinId: number
  doorId: number
  stateId: number
  connectorId: number
}

const parts: readonly Part[] = [
  {
    module: 'facility',
    subject: 'IsFmTicket',
    noun: 'isFmTicket',
    make: (api, { twinId }) =>
      api.isFmTicket.create({ twinId, type: 'defect', subject: 'Broken', comment: '' }),
    read: async (api) => [
      await api.isFmTicket.list({}),
      await api.isFmTicket.count({}),
      await api.isFmTicket.places({}),
    ],
  },
  {
    module: 'facility',
    subject: 'IsFmAccess',
    noun: 'isfmAccessMgmt',
    async make(api, { doorId, userId, connectorId, accountId }) {
      const way = { kind: 'webhook', connectorId, payload: '' } as const
      const lock = await api.isfmAccessMgmt.createLock({ twinId: doorId, way })
      await api.isfmAccessMgmt.createGroup({ accountId, title: 'All', lockIds: [lock.id] })
      await api.isfmAccessMgmt.create({ userId, lockId: lock.id, validFrom: '2026-01-01T00:00:00Z' })
    },
    read: async (api) => [
      await api.isfmAccessMgmt.list({}),
      await api.isfmAccessMgmt.locks({}),
      await api.isfmAccessMgmt.groups({}),
      await api.isfmAccessMgmt.mine({}),
    ],
  },
  {
    module: 'assets',
    subject: 'IsAssetMgmt',
    noun: 'isAssetMgmt',
    make: (api, { twinId }) =>
      api.isAssetMgmt.import({ parentId: twinId, rows: [{ title: 'Pump', category: 'Pumps' }] }),
    read: async (api) => [await api.isAssetMgmt.fetch({}), await api.isAssetMgmt.categoriesZones({})],
  },
  {
    module: 'warnapp',
    subject: 'IsWarnapp',
    noun: 'isWarnapp',
    make: (api, { twinId, stateId }) =>
      api.isWarnapp.save({
        id: twinId,
        version: null,
        states: [{ stateId, limits: { kind: 'number', badFrom: 9 } }],
      }),
    read: async (api) => [await api.isWarnapp.list({})],
  },
]

let app: TestApp
let managerRole: number
beforeAll(async () => {
  app = await startApp({ config: { allowedNetworks: ['127.0.0.1'] } })
  managerRole = await roleNamed(app, 'Facility manager')
})

async function createWorld() {
  const account = await createAccount(app)
  const manager = await createUser(app, account, [{ roleId: managerRole }])
  const [hall, door] = [await createTwin(app, account), await createTwin(app, account)]
  await app.ctx.db.updateTable('twins').set({ type: 'door' }).where('id', '=', door.id).execute()
  const connector = await app.api.bridge.create({
    accountId: account.id,
    kind: 'webhook-out',
    name: 'Door control',
    settings: { url: 'http://127.0.0.1:9/doors' },
  })
  const world: World = {
    accountId: account.id,
    userId: manager.id,
    twinId: hall.id,
    doorId: door.id,
    stateId: await createState(app, hall.id, 'chlorine'),
    connectorId: connector.id,
  }
  return { world, manager }
}

async function turn(accountId: number, module: ModuleKey, enabled: boolean): Promise<void> {
  const { items } = await app.api.module.list({ accountId })
  const { version, toNewUsers } = items.find((one) => one.module === module) ?? expect.fail()
  await app.api.module.set({ accountId, module, version, enabled, toNewUsers })
}

const sessionOf = async (api: Api) => {
  const { access, featureFlags } = await api.auth.verify({})
  return { permissions: access?.permissions ?? [], hasAccessKeys: featureFlags.flags.hasAccessKeys }
}

describe('a module for facilities that is switched off', () => {
  it.each(parts)('refuses each call of $noun, and has everything when it is on again', async (part) => {
    const { module, subject, noun, make, read } = part
    const { world, manager } = await createWorld()
    await make(app.api, world)
    const before = await read(manager.api)
    expect(JSON.stringify(before)).toContain('"id"')
    const session = await sessionOf(manager.api)
    expect(session.permissions).toContain(`${subject}.manage`)

    await turn(world.accountId, module, false)
    const file = new File(['x'], 'x.png')
    const given = { id: 1, userId: world.userId, accountId: world.accountId, role: 'image' }
    const calls = manager.api[noun] as unknown as Record<string, (input: object) => Promise<unknown>>
    const call = (operation: string) =>
      calls[operation]?.(operation === 'setMedia' ? { ...given, file } : given) ?? expect.fail()
    const operations = Object.keys(contract[noun])
    expect(operations.length).toBeGreaterThan(5)
    for (const operation of operations)
      expect([operation, await errorOf(call(operation))]).toMatchObject([
        operation,
        { code: 'NO_PERMISSION', status: 403 },
      ])
    // The console offers what the session says: neither screens nor, without keys, the entry of one's own.
    const off = await sessionOf(manager.api)
    const gone = session.permissions.filter((permission) => !off.permissions.includes(permission))
    const subjects = new Set(gone.map((permission) => permission.split('.')[0]))
    expect(subjects).toEqual(new Set(modules[module].subjects))
    expect(off.hasAccessKeys).toBe(false)

    await turn(world.accountId, module, true)
    expect(await sessionOf(manager.api)).toEqual(session)
    expect(await read(manager.api)).toEqual(before)
  })
})
