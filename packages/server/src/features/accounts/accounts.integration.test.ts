import { beforeAll, describe, expect, test } from 'vitest'
import { createAccount, createUser, errorOf, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})

type Place = { id: number; scopeId: number; name: string }

async function administered(parent?: Place) {
  const account = await createAccount(app, parent ? { parent } : {})
  const roleId = await roleNamed(app, 'Account administrator')
  return { account, ...(await createUser(app, account, [{ roleId }])) }
}

const notFound = { code: 'TENANT_NOT_FOUND', status: 404 }
const refused = { code: 'NO_PERMISSION', status: 403 }

/** Updates an account by sending all its fields, as the console's form does. */
async function change(api: TestApp['api'], id: number, part: object) {
  const { editable: _editable, ...account } = await api.tenant.get({ id })
  return api.tenant.update({ ...account, ...part })
}

describe('an account', () => {
  test('is changed by its administrators; the change is in the log, its scope carries the new name', async () => {
    const { account, api } = await administered()
    const policy = { minLength: 12, upperAndLower: true, numbers: true, special: false }
    const changed = await change(api, account.id, {
      name: `${account.name} new`,
      description: 'Roads',
      timeZone: 'Europe/Lisbon',
      domains: ['B.example.org', 'a.example.org'],
      passwordPolicy: policy,
      terms: 'Be kind.',
      feedback: { bug: ['bugs@example.org'], featureRequest: [] },
      renewConsent: true,
    })
    expect(changed).toMatchObject({
      name: `${account.name} new`,
      timeZone: 'Europe/Lisbon',
      terms: 'Be kind.',
      version: 2,
      domains: ['a.example.org', 'b.example.org'],
      passwordPolicy: policy,
      consentSince: expect.any(String),
      feedback: { bug: ['bugs@example.org'] },
      editable: true,
    })
    const { items } = await api.acl.listScopes()
    expect(items.map(({ name }) => name)).toEqual([`${account.name} new`])
    const log = await api.activityLog.list({ subject: 'Tenant', objectId: account.id })
    expect(log.items[0]).toMatchObject({ action: 'update', changes: { description: ['', 'Roads'] } })
    const { editable: _editable, ...stale } = changed
    expect(await errorOf(api.tenant.update({ ...stale, version: 1 }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
  })

  test('claims each domain once; others may claim it, too', async () => {
    const [left, right] = [await administered(), await administered()]
    await change(left.api, left.account.id, { domains: ['only.example.org'] })
    expect(await change(right.api, right.account.id, { domains: ['only.example.org'] })).toMatchObject({
      domains: ['only.example.org'],
    })
    expect(
      await errorOf(change(right.api, right.account.id, { domains: ['x.example.org', 'X.example.org.'] })),
    ).toMatchObject({ code: 'TENANT_DOMAIN_DUPLICATE' })
    for (const domain of ['https://x.org', 'x.org:80', '-x.org', 'x..org', 'x y.org'])
      expect(await errorOf(change(right.api, right.account.id, { domains: [domain] }))).toMatchObject({
        code: 'PARAMETER_VALIDATION_ERROR',
      })
  })

  test('is kept as long as system administrators say', async () => {
    const { account, api } = await administered()
    const wanted = { id: account.id, version: 1, months: 3 }
    expect(await errorOf(api.tenant.setRetention(wanted))).toMatchObject(refused)
    expect(await app.api.tenant.setRetention(wanted)).toMatchObject({
      retentionMonths: 3,
      ownRetentionMonths: 3,
      version: 2,
    })
  })

  test('of others is not there: reading, changing, moving, deleting', async () => {
    const [mine, theirs] = [await administered(), await administered()]
    const { id } = theirs.account
    const { editable: _editable, ...account } = await theirs.api.tenant.get({ id })
    expect(await errorOf(mine.api.tenant.get({ id }))).toMatchObject(notFound)
    expect(await errorOf(mine.api.tenant.update(account))).toMatchObject(notFound)
    expect(await errorOf(mine.api.tenant.move({ id, version: 1, parentId: mine.account.id }))).toMatchObject(
      notFound,
    )
    expect(await errorOf(mine.api.tenant.dependencies({ id }))).toMatchObject(notFound)
    expect(await errorOf(mine.api.tenant.delete({ id, virtualDevices: 0 }))).toMatchObject(notFound)
  })

  test('is seen but not changed by a viewer', async () => {
    const account = await createAccount(app)
    const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    expect(await api.tenant.get({ id: account.id })).toMatchObject({ name: account.name, editable: false })
    expect(await errorOf(change(api, account.id, { name: 'x' }))).toMatchObject(refused)
  })
})

describe('moving', () => {
  test('takes everything below along, and the rights with it', async () => {
    const top = await administered()
    const left = await administered(top.account)
    const right = await administered(top.account)
    const moved = await createAccount(app, { parent: left.account })
    const below = await createAccount(app, { parent: moved })
    await top.api.tenant.move({ id: moved.id, version: 1, parentId: right.account.id })
    const sees = async (api: TestApp['api']) => (await api.tenant.fetchAll()).items.map(({ id }) => id)
    expect(await sees(left.api)).toEqual([left.account.id])
    expect(await sees(right.api)).toEqual(expect.arrayContaining([moved.id, below.id]))
  })

  test('is for who administers both places, and never below itself', async () => {
    const top = await administered()
    const inner = await administered(top.account)
    const deeper = await createAccount(app, { parent: inner.account })
    const elsewhere = await administered()
    const { id } = inner.account
    // Its own administrators cannot move it away from the administrators above.
    expect(await errorOf(inner.api.tenant.move({ id, version: 1, parentId: deeper.id }))).toMatchObject(
      refused,
    )
    expect(
      await errorOf(top.api.tenant.move({ id, version: 1, parentId: elsewhere.account.id })),
    ).toMatchObject(notFound)
    expect(await errorOf(top.api.tenant.move({ id, version: 1, parentId: deeper.id }))).toMatchObject({
      code: 'TENANT_MOVE_TO_DESCENDANT',
    })
    expect(
      await errorOf(app.api.tenant.move({ id: app.rootAccountId, version: 1, parentId: id })),
    ).toMatchObject({ code: 'TENANT_ROOT' })
  })
})

describe('deleting', () => {
  test('names what is still there, wants the number of devices, and takes users along', async () => {
    const top = await administered()
    const inner = await administered(top.account)
    const deeper = await createAccount(app, { parent: inner.account })
    const { id } = inner.account
    expect(await top.api.tenant.dependencies({ id })).toMatchObject({
      blocking: true,
      virtualDevices: 0,
      items: [{ kind: 'tenant', id: deeper.id, title: deeper.name, blocking: true }],
    })
    expect(await errorOf(top.api.tenant.delete({ id, virtualDevices: 0 }))).toMatchObject({
      code: 'TENANT_DELETE_HAS_DEPENDENCIES',
      data: { items: [{ kind: 'tenant', id: deeper.id }] },
    })
    await top.api.tenant.delete({ id: deeper.id, virtualDevices: 0 })
    expect(await errorOf(top.api.tenant.delete({ id, virtualDevices: 7 }))).toMatchObject({
      code: 'TENANT_DELETE_COUNT',
    })
    // Only administrators of the account above can delete it.
    expect(await errorOf(inner.api.tenant.delete({ id, virtualDevices: 0 }))).toMatchObject(refused)
    await top.api.tenant.delete({ id, virtualDevices: 0 })
    expect(await errorOf(inner.api.tenant.fetchAll())).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
    expect((await top.api.activityLog.list({ subject: 'Tenant' })).items[0]).toMatchObject({
      action: 'delete',
      objectTitle: inner.account.name,
    })
  })

  test('is refused while one of its users has roles elsewhere', async () => {
    const top = await administered()
    const inner = await createAccount(app, { parent: top.account })
    const roleId = await roleNamed(app, 'Viewer')
    const guest = await createUser(app, inner, [{ roleId, scopeId: top.account.scopeId }])
    expect((await top.api.tenant.dependencies({ id: inner.id })).items).toMatchObject([
      { kind: 'user', id: guest.id },
    ])
  })
})
