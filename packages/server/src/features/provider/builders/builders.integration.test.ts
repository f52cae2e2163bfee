import { beforeAll, expect, test } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})

const input = { title: 'Workshop', url: 'https://builder.example.org/start' }

async function accountWithApplication() {
  const account = await createAccount(app)
  const { application } = await app.api.application.create({
    accountId: account.id,
    title: 'Builder',
    kind: 'public',
    redirectUris: ['https://builder.example.org/back'],
    scopes: ['openid'],
  })
  return { account, application }
}

test('a service builder is added, seen by administrators of the account, changed and deleted', async () => {
  const { account, application } = await accountWithApplication()
  const admin = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  const made = await app.api.serviceBuilder.create({
    id: account.id,
    ...input,
    applicationId: application.id,
  })
  expect(made).toMatchObject({ ...input, application: { id: application.id, title: 'Builder' }, version: 1 })
  expect((await admin.api.serviceBuilder.list({ id: account.id })).items).toEqual([made])
  expect(await errorOf(admin.api.serviceBuilder.create({ id: account.id, ...input }))).toMatchObject({
    code: 'NO_PERMISSION',
  })
  const one = { id: account.id, builderId: made.id }
  const changed = await app.api.serviceBuilder.update({ ...one, ...input, title: 'Lab', version: 1 })
  expect(changed).toMatchObject({ title: 'Lab', application: null, version: 2 })
  expect(await errorOf(app.api.serviceBuilder.update({ ...one, ...input, version: 1 }))).toMatchObject({
    code: 'VERSION_CONFLICT',
  })
  await app.api.serviceBuilder.delete(one)
  expect(await errorOf(app.api.serviceBuilder.delete(one))).toMatchObject({
    code: 'SERVICE_BUILDER_NOT_FOUND',
  })
  const log = await admin.api.activityLog.list({ subject: 'ServiceBuilder', objectId: made.id })
  expect(log.items.map(({ action }) => action)).toEqual(['delete', 'update', 'create'])
})

test('neither an address that runs code nor the application of another account is accepted', async () => {
  const [mine, theirs] = [await accountWithApplication(), await accountWithApplication()]
  const add = (change: object) =>
    errorOf(app.api.serviceBuilder.create({ id: mine.account.id, ...input, ...change }))
  for (const url of ['javascript:alert(1)', 'https://user:pass@example.org', 'ftp://example.org', ''])
    expect(await add({ url })).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  expect(await add({ applicationId: theirs.application.id })).toMatchObject({ code: 'APPLICATION_NOT_FOUND' })
  // Through the address of another account it does not exist.
  const made = await app.api.serviceBuilder.create({ id: mine.account.id, ...input })
  const crossed = app.api.serviceBuilder.delete({ id: theirs.account.id, builderId: made.id })
  expect(await errorOf(crossed)).toMatchObject({ code: 'SERVICE_BUILDER_NOT_FOUND' })
})
