import type { Setup } from '@leitstand/contract/setup'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createAccount,
  createApi,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createState } from '../../../test/twins.ts'
import { isDemoRemoved } from './index.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
beforeEach(async () => {
  await app.ctx.db.deleteFrom('installation_setup').execute()
})

const done = ({ steps }: Setup) => steps.filter(({ isDone }) => isDone).map(({ key }) => key)

describe('the steps of the first hour', () => {
  it('are done when the installation has what they are about', async () => {
    const { api, rootAccountId: id } = app
    const before = await api.setup.get()
    expect(before).toMatchObject({ isPutAway: false, accountId: id })
    expect(before.steps.map(({ key }) => key)).toEqual([
      'name',
      'mail',
      'legal',
      'account',
      'demo',
      'connector',
    ])
    expect(done(before)).toEqual(['demo'])

    const [brand] = (await api.brand.list({ id })).items
    const { settings, version } = brand as NonNullable<typeof brand>
    const pages = {
      de: { ...settings.pages.de, title: 'Stadtwerke', imprintText: 'Rathaus', privacyText: 'Wenig' },
      en: { ...settings.pages.en, title: 'City works', imprintText: 'Town hall' },
    }
    await api.brand.save({ id, domain: '', version, settings: { ...settings, pages } })
    expect(done(await api.setup.get())).toEqual(['name', 'demo'])
    pages.en.privacyText = 'Little'
    await api.brand.save({ id, domain: '', version: version + 1, settings: { ...settings, pages } })
    const account = await createAccount(app)
    expect(done(await api.setup.get())).toEqual(['name', 'legal', 'account', 'demo'])
    await api.bridge.create({ accountId: account.id, kind: 'webhook-in', name: 'Net', settings: {} })
    const server = {
      host: 'mail.example.org',
      port: 587,
      security: 'starttls' as const,
      user: '',
      senderAddress: 'it@example.org',
      senderName: '',
    }
    await api.tenant.setMailServer({ id, version: (await api.tenant.getMailServer({ id })).version, server })
    const after = await api.setup.get()
    expect(after.steps.every(({ isDone }) => isDone)).toBe(true)
    // What is taken back is open again.
    await api.brand.delete({ id, domain: '' })
    expect(done(await api.setup.get())).toEqual(['mail', 'account', 'demo', 'connector'])
  })

  it('can be skipped and taken up again, by each administrator for all; the activity log has it', async () => {
    const { api } = app
    const skipped = (setup: Setup) => setup.steps.filter((step) => step.isSkipped).map(({ key }) => key)
    expect(skipped(await api.setup.change({ skipped: { name: true, legal: true } }))).toEqual([
      'name',
      'legal',
    ])
    await api.setup.change({ isPutAway: true })
    const last = await api.setup.change({ skipped: { name: false } })
    expect([skipped(last), last.isPutAway]).toEqual([['legal'], true])
    const { items } = await api.activityLog.list({ subject: 'Setup', limit: 3 })
    expect(items.map(({ changes }) => changes)).toEqual([
      { skipped: [['name', 'legal'], ['legal']] },
      { isPutAway: [false, true] },
      { skipped: [[], ['name', 'legal']] },
    ])
    // What is done is not skipped.
    await api.setup.change({ skipped: { demo: true } })
    expect(skipped(await api.setup.get())).toEqual(['legal'])
  })

  it('are nobody else’s business', async () => {
    const admin = await createUser(app, await createAccount(app), [
      { roleId: await roleNamed(app, 'Account administrator') },
    ])
    for (const { api } of [admin, { api: createApi(app.url) }]) {
      await expect(api.setup.get()).rejects.toThrow()
      await expect(api.setup.change({ isPutAway: true })).rejects.toThrow()
      await expect(api.setup.demo()).rejects.toThrow()
      await expect(api.setup.removeDemo({ accountId: 1, virtualDevices: 0 })).rejects.toThrow()
    }
  })
})

/** A small city: two accounts, connector, device, twins with a state computed from another, dashboard, user. */
async function buildDemo() {
  const { api } = app
  const city = await api.tenant.create({ parentId: app.rootAccountId, name: `City ${Math.random()}` })
  const part = await api.tenant.create({ parentId: city.id, name: 'Part' })
  const connector = await api.bridge.create({
    accountId: part.id,
    kind: 'webhook-in',
    name: 'Net',
    settings: {},
  })
  const street = await api.digitaltwin.create({ accountId: city.id, title: 'Street' })
  const house = await api.digitaltwin.create({ accountId: city.id, title: 'House', parentId: street.id })
  const device = await api.virtualdevice.create({
    title: 'Sensor',
    externalId: `s-${part.id}`,
    connectorId: connector.id,
    driverId: null,
  })
  const state = { id: await createState(app, house.id, 'level') }
  const computed = (dtwinId: number, stateId: number) =>
    api.state.create({
      dtwinId,
      key: `sum${stateId}`,
      title: 'Sum',
      source: 'aggregate',
      valueType: 'number',
      sourceSettings: { stateIds: [stateId], method: 'sum' },
    })
  const sum = await computed(street.id, state.id)
  await computed(street.id, sum.id)
  await api.dashboards.create({ name: 'Overview', description: '', accountId: city.id })
  await createUser(app, city, [{ roleId: await roleNamed(app, 'Viewer') }])
  return { city, part, street, house, device, state, connector, computed }
}

describe('the demo city', () => {
  it('is deleted with everything below it, and is not built again', async () => {
    const { api } = app
    expect(await api.setup.demo()).toEqual({ demo: null })
    const built = await buildDemo()
    await api.setup.noteDemo({ accountId: built.city.id })
    const { demo } = await api.setup.demo()
    expect(demo).toMatchObject({
      accountId: built.city.id,
      name: built.city.name,
      contents: { accounts: 2, users: 1, virtualDevices: 1, twins: 2, connectors: 1, dashboards: 1 },
      blockers: [],
      job: null,
    })
    expect(done(await api.setup.get())).not.toContain('demo')
    const borrowed = createApi(app.url, (await app.app.people.lendDemoSession()) ?? '')
    await borrowed.setup.demo()

    // Asked twice, it is deleted once.
    const remove = () => api.setup.removeDemo({ accountId: built.city.id, virtualDevices: 1 })
    const [job, again] = await Promise.all([remove(), remove()])
    expect(job).toMatchObject({ type: 'demo-remove', total: 6, accountId: app.rootAccountId })
    expect(again.id).toBe(job.id)
    expect(await isDemoRemoved(app.ctx.db)).toBe(true)
    await app.ctx.configChanges.settle()
    await expect(borrowed.setup.demo()).rejects.toMatchObject({ status: 401 })
    await app.drain()
    expect(await api.job.get({ id: job.id })).toMatchObject({ state: 'done', done: 6, error: null })
    expect(await api.setup.demo()).toEqual({ demo: null })
    const { items } = await api.tenant.fetchAll()
    expect(items.filter(({ id }) => [built.city.id, built.part.id].includes(id))).toEqual([])
    const gone = [
      () => api.virtualdevice.get({ id: built.device.id }),
      () => api.digitaltwin.get({ id: built.house.id }),
      () => api.bridge.get({ id: built.connector.id }),
    ]
    for (const read of gone) await expect(read()).rejects.toMatchObject({ status: 404 })
    expect(done(await api.setup.get())).toContain('demo')
  })

  it('stays while something outside needs it, which is named', async () => {
    const { api } = app
    const built = await buildDemo()
    const own = await createAccount(app)
    const twin = await api.digitaltwin.create({ accountId: own.id, title: 'My square' })
    const state = await built.computed(twin.id, built.state.id)
    await api.setup.noteDemo({ accountId: built.city.id })
    const wanted = { accountId: built.city.id, virtualDevices: 1 }
    const blockers = [{ kind: 'state', id: state.id, title: 'My square · Sum' }]
    expect((await api.setup.demo()).demo?.blockers).toEqual(blockers)
    expect(await errorOf(api.setup.removeDemo(wanted))).toMatchObject({
      code: 'DEMO_IN_USE',
      data: { blockers },
    })
    expect(await isDemoRemoved(app.ctx.db)).toBe(false)
    await api.state.delete({ id: state.id })
    await api.setup.removeDemo(wanted)
    await app.drain()
    expect(await api.setup.demo()).toEqual({ demo: null })
  })

  it('is only deleted as it was seen, and no other account ever is', async () => {
    const { api } = app
    const built = await buildDemo()
    const other = await createAccount(app)
    await api.setup.noteDemo({ accountId: built.city.id })
    const attempt = (accountId: number, virtualDevices: number) =>
      errorOf(api.setup.removeDemo({ accountId, virtualDevices }))
    expect(await attempt(built.city.id, 0)).toMatchObject({ code: 'DEMO_CHANGED' })
    for (const id of [other.id, app.rootAccountId, built.part.id])
      expect(await attempt(id, 1)).toMatchObject({ code: 'DEMO_NOT_FOUND' })
    for (const accountId of [app.rootAccountId, built.part.id])
      expect(await errorOf(api.setup.noteDemo({ accountId }))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect((await api.setup.demo()).demo?.accountId).toBe(built.city.id)
  })
})
