import { fileObjects, type StoredFile } from '@leitstand/contract/files'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createApi,
  createRole,
  createUser,
  errorOf,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { dot } from '../../../test/pictures.ts'
import { createDriver } from '../../../test/pipeline.ts'
import { createTwin } from '../../../test/twins.ts'
import { kindsWithFiles } from './kinds.ts'

const picture = (name = 'dot.png') => new File([dot], name)
const text = (content: string, name = 'notes.txt') => new File([content], name)

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app)
})

const newTwin = async () => {
  const { id } = await createTwin(app, account)
  return { object: 'digitalTwin' as const, objectId: id }
}

const newTicket = async () => {
  const { objectId: twinId } = await newTwin()
  return app.api.isFmTicket.create({ twinId, type: 'defect', subject: 'Tap' })
}

/** Downloads with a plain request, as a program does. */
const download = (id: number, headers: Record<string, string> = {}) =>
  fetch(`${app.url}/api/upload/file/${id}`, { headers: { authorization: `Bearer ${app.token}`, ...headers } })

test('each kind that the contract offers for files has them, and an activity under its own noun', async () => {
  expect(
    kindsWithFiles()
      .map(({ files }) => files.as)
      .toSorted(),
  ).toEqual(fileObjects.toSorted())
  const targets = {
    digitalTwin: (await createTwin(app, account)).id,
    virtualDevice: (await createTwin(app, account, { category: 'virtualDevice' })).id,
    deviceDriver: await createDriver(app, 'return {}'),
    smartGroup: (await app.api.smartGroup.create({ title: 'Group', accountId: account.id })).id,
    ticket: (await newTicket()).id,
  }
  for (const object of fileObjects) {
    const target = { object, objectId: targets[object] }
    const stored = await app.api.upload.post({ ...target, file: text('x') })
    expect(stored).toMatchObject(target)
    expect((await app.api.upload.list(target)).items).toEqual([stored])
  }
  const { items } = await app.api.activityLog.list({ offset: 0, limit: 5 })
  expect(items.map(({ subject, objectId }) => [subject, objectId])).toEqual([
    ['Ticket', targets.ticket],
    ['SmartGroup', targets.smartGroup],
    ['DeviceDriver', targets.deviceDriver],
    ['DigitalTwin', targets.digitalTwin],
    ['VirtualDevice', targets.virtualDevice],
  ])
})

test('a file comes back byte by byte, to be stored and not shown, and is not sent twice', async () => {
  const target = await newTwin()
  const stored = await app.api.upload.post({ ...target, file: text('ü;1\n', 'Größe „1“.csv') })
  expect(stored).toMatchObject({ ...target, role: 'attachment', type: 'text/plain', size: 5 })
  const answer = await download(stored.id)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toBe('ü;1\n')
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    etag: `"${stored.hash}"`,
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'content-type': 'text/plain',
    'content-disposition': `attachment; filename="Gr__e _1_.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%80%9E1%E2%80%9C.csv`,
  })
  const again = await download(stored.id, { 'if-none-match': `"${stored.hash}"` })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('an object has one picture, and the activity log says what took the place of what', async () => {
  const target = await newTwin()
  await app.api.upload.post({ ...target, file: text('b', 'b.txt') })
  const first = await app.api.upload.postV2({ ...target, file: picture(), role: 'picture' })
  const second = await app.api.upload.post({ ...target, file: picture('other.png'), role: 'picture' })
  const { items, editable } = await app.api.upload.list(target)
  expect(items.map(({ name }) => name)).toEqual(['other.png', 'b.txt'])
  expect(editable).toBe(true)
  expect((await download(first.id)).status).toBe(404)
  expect(await app.api.upload.delete({ id: second.id })).toEqual({ ok: true })
  const log = await app.api.activityLog.list({ subject: 'DigitalTwin', objectId: target.objectId })
  expect(log.items.map(({ changes }) => changes)).toEqual([
    { picture: ['other.png', null] },
    { picture: ['dot.png', 'other.png'] },
    { picture: [null, 'dot.png'] },
    { attachment: [null, 'b.txt'] },
  ])
})

test('files go with what they hang on', async () => {
  const driver = await app.api.devicedrivers.create({
    accountId: account.id,
    title: 'With files',
    script: 'function decodeUplink() { return { data: {} } }',
  })
  const onDriver = { object: 'deviceDriver' as const, objectId: driver.id }
  const onTwin = await newTwin()
  const stored: StoredFile[] = [
    await app.api.upload.post({ ...onDriver, file: picture(), role: 'picture' }),
    await app.api.upload.post({ ...onTwin, file: text('x') }),
  ]
  await app.api.devicedrivers.delete({ id: driver.id })
  await app.api.digitaltwin.delete({ id: onTwin.objectId })
  for (const { id } of stored) expect((await download(id)).status).toBe(404)
  const left = await app.ctx.db.selectFrom('file_contents').select('file_id').execute()
  expect(left.map(({ file_id }) => file_id)).not.toEqual(
    expect.arrayContaining([expect.toBeOneOf(stored.map(({ id }) => id))]),
  )
})

describe('bounds', () => {
  test('a file has at most 10 MB, an object at most 20 attachments', async () => {
    const target = await newTwin()
    const tooLarge = new File([new Uint8Array(10 * 1_048_576 + 1)], 'large.txt')
    expect(await errorOf(app.api.upload.post({ ...target, file: tooLarge }))).toMatchObject({
      code: 'BODY_TOO_LARGE',
    })
    for (let index = 0; index < 20; index++)
      await app.api.upload.post({ ...target, file: text('x', `${index}.txt`) })
    expect(await errorOf(app.api.upload.post({ ...target, file: text('x') }))).toMatchObject({
      code: 'FILE_TOO_MANY',
    })
    // The picture does not count towards the limit of attachments.
    await app.api.upload.post({ ...target, file: picture(), role: 'picture' })
  })

  test('an account and all below it have so many megabytes; two at once do not pass them together', async () => {
    const parent = await createAccount(app)
    const child = await createAccount(app, { parent })
    const { version } = await app.api.tenant.get({ id: parent.id })
    const changed = await app.api.tenant.setFileLimit({ id: parent.id, version, megabytes: 1 })
    expect(changed.limits.files).toEqual({ own: 1, value: 1, from: null, used: 0 })
    const [one, two] = [await createTwin(app, child), await createTwin(app, parent)]
    const most = 'x'.repeat(600_000)
    const upload = (objectId: number) =>
      app.api.upload.post({ object: 'digitalTwin', objectId, file: text(most) })
    const both = await Promise.allSettled([upload(one.id), upload(two.id)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await errorOf(upload(one.id))).toMatchObject({
      code: 'TENANT_FILE_LIMIT',
      data: { limit: 1, account: parent.name },
    })
    const own = await createUser(app, child, [
      { roleId: await createRole(app, [{ subject: 'DigitalTwin', actions: ['read', 'write'] }]) },
    ])
    expect(
      await errorOf(own.api.upload.post({ object: 'digitalTwin', objectId: one.id, file: text(most) })),
    ).toMatchObject({ code: 'TENANT_FILE_LIMIT_ABOVE' })
    const { limits } = await app.api.tenant.get({ id: parent.id })
    expect(limits.files.used).toBe(600_000)
  })
})

test('only users who see the object see its files, and only those who may change it change them', async () => {
  const target = await newTwin()
  const { id } = await app.api.upload.post({ ...target, file: text('secret') })
  const rules = [{ subject: 'DigitalTwin' as const, actions: ['read' as const, 'write' as const] }]
  const elsewhere = await createUser(app, await createAccount(app), [
    { roleId: await createRole(app, rules) },
  ])
  const asStranger = async (call: (api: Api) => Promise<unknown>) => (await errorOf(call(elsewhere.api))).code
  expect(await asStranger((api) => api.upload.file({ id }))).toBe('FILE_NOT_FOUND')
  expect(await asStranger((api) => api.upload.delete({ id }))).toBe('FILE_NOT_FOUND')
  expect(await asStranger((api) => api.upload.list(target))).toBe('DTWIN_NOT_FOUND')
  expect(await asStranger((api) => api.upload.post({ ...target, file: text('x') }))).toBe('DTWIN_NOT_FOUND')

  const reads = [
    { subject: 'DigitalTwin' as const, actions: ['read' as const] },
    { subject: 'VirtualDevice' as const, actions: ['write' as const] },
  ]
  const reader = await createUser(app, account, [{ roleId: await createRole(app, reads) }])
  expect((await reader.api.upload.list(target)).editable).toBe(false)
  expect(await errorOf(reader.api.upload.delete({ id }))).toMatchObject({ code: 'NO_PERMISSION' })
})

test('guests cannot upload, and JSON is not a file', async () => {
  const target = await newTwin()
  expect(await errorOf(createApi(app.url).upload.post({ ...target, file: text('x') }))).toMatchObject({
    code: 'AUTH_TOKEN_NOT_FOUND',
  })
  const answer = await fetch(`${app.url}/api/upload/post`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(target),
  })
  expect(answer.status).toBe(415)
})
