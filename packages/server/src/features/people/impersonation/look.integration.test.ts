import { contract } from '@leitstand/contract'
import type { OperationMeta } from '@leitstand/contract/common'
import { liveLimits } from '@leitstand/contract/live'
import { isContractProcedure } from '@orpc/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createAccount,
  createApi,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { openLive } from '../../../../test/live.ts'
import { isOpenToLook } from '../../../platform/http/api.ts'
import { lookMaxMs } from '../sessions.ts'

const clock = new FakeClock()
let app: TestApp
beforeAll(async () => {
  app = await startApp({ clock })
})

/** An administrator and another one they look at, who could change anything in the account. */
async function looking() {
  const account = await createAccount(app)
  const roleId = await roleNamed(app, 'Account administrator')
  const admin = await createUser(app, account, [{ roleId }])
  const user = await createUser(app, account, [{ roleId }])
  const begun = await admin.api.auth.look({ userId: user.id })
  return { account, admin, user, begun, eyes: createApi(app.url, begun.token) }
}

interface Operation {
  name: string
  method: string
  path: string
  isOpen: boolean
  isUpload: boolean
  look: string | undefined
}

function operationsOf(router: object, path: string[] = []): Operation[] {
  return Object.entries(router).flatMap(([key, entry]: [string, object]) => {
    const name = [...path, key]
    if (!isContractProcedure(entry)) return operationsOf(entry, name)
    const { route, meta } = entry['~orpc']
    return [
      {
        name: name.join('.'),
        method: route.method ?? 'POST',
        path: String(route.path),
        isOpen: isOpenToLook(entry),
        isUpload: (meta as OperationMeta).fileBytesMax !== undefined,
        look: (meta as OperationMeta).look,
      },
    ]
  })
}

const operations = operationsOf(contract)

function formWithFile(): FormData {
  const form = new FormData()
  form.append('file', new Blob(['a']), 'a.txt')
  return form
}

/** Sends a request of an operation, as a hostile client would: straight to the edge. */
async function answerOf(token: string, { method, path, isUpload }: Operation) {
  const url = `${app.url}/api${path.replace(/\{\+?\w+\}/g, '1')}`
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(isUpload ? {} : { 'content-type': 'application/json' }),
    },
    body: isUpload ? formWithFile() : '{}',
  })
  const { code } = (await response.json()) as { code?: string }
  return { status: response.status, code }
}

describe('a look through the eyes of a user', () => {
  test('shows what they see, and is ended; the activity log has both', async () => {
    const { account, admin, user, begun, eyes } = await looking()
    expect(await eyes.auth.verify({})).toMatchObject({
      user: { id: user.id },
      impersonator: { id: admin.id, name: admin.username },
      looking: true,
    })
    expect((await eyes.tenant.get({ id: account.id })).name).toBe(account.name)
    expect((await eyes.acl.checkAccess({ checks: [{ subject: 'all', action: 'manage' }] })).results).toEqual([
      true,
    ])
    expect((await user.api.session.list({})).items[0]).toMatchObject({
      impersonatorName: admin.username,
      looking: true,
    })
    const back = await eyes.auth.restore({ originalToken: begun.originalToken })
    expect(back.user.id).toBe(admin.id)
    expect((await eyes.auth.verify({})).isAuthenticated).toBe(false)
    const { items } = await app.api.activityLog.list({ subject: 'User', objectId: user.id })
    expect(items.slice(0, 2)).toMatchObject([
      { action: 'endLook', userName: user.username, impersonatorName: admin.username },
      { action: 'look', userName: admin.username },
    ])
  })

  test('is refused every operation that is not known to read', async () => {
    const { begun } = await looking()
    const closed = operations.filter(({ isOpen, method }) => !isOpen && method !== 'GET')
    expect(closed.length).toBeGreaterThan(200)
    const answers: Record<string, unknown> = {}
    for (const operation of closed) answers[operation.name] = await answerOf(begun.token, operation)
    const refused = { status: 403, code: 'AUTH_LOOKING' }
    const others = Object.entries(answers).filter(
      ([, answer]) => JSON.stringify(answer) !== JSON.stringify(refused),
    )
    expect(others).toEqual([])
    const secrets = operations.filter(({ isOpen, method }) => !isOpen && method === 'GET')
    for (const { path } of secrets) {
      const url = `${app.url}/api${path.replace('{id}', '1')}`
      const { status } = await fetch(url, { headers: { authorization: `Bearer ${begun.token}` } })
      expect(status, path).toBe(403)
    }
  })

  test('of the operations with another method only those that ask are open, and two that end it', () => {
    const open = operations.filter(({ method, isOpen }) => method !== 'GET' && isOpen)
    expect(open.every(({ look }) => look === 'asks' || look === 'ends')).toBe(true)
    expect(operations.filter(({ look }) => look === 'ends').map(({ name }) => name)).toEqual([
      'auth.restore',
      'auth.logout',
    ])
    expect(operations.filter(({ look }) => look === 'closed').map(({ name }) => name)).toEqual([
      'sharing.findExistingKey',
      'dashboardSharing.findExistingKey',
    ])
  })

  test('changes nothing: the refused calls leave the data as it is', async () => {
    const { account, eyes, user } = await looking()
    const { version } = await eyes.tenant.get({ id: account.id })
    const refused = { code: 'AUTH_LOOKING', status: 403 }
    const calls = [
      () => eyes.tenant.update({ id: account.id, version, name: 'Taken', timeZone: 'Europe/Berlin' }),
      () => eyes.user.setProperties({ properties: { mark: 1 } }),
      () => eyes.user.unlock({ id: user.id }),
      () => eyes.apikey.create({ title: 'Mine', scopeId: account.scopeId, roleId: 1 }),
    ]
    for (const call of calls) expect(await errorOf(call())).toMatchObject(refused)
    expect((await eyes.tenant.get({ id: account.id })).version).toBe(version)
    const { items } = await eyes.activityLog.list({ accountIds: [account.id] })
    expect(items.map(({ action }) => action).filter((action) => action !== 'login')).toEqual(['look'])
  })

  test('does not lead to what belongs to the person, and not to another look', async () => {
    const { account, user, begun, eyes } = await looking()
    const third = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    expect(await errorOf(eyes.auth.look({ userId: third.id }))).toMatchObject({ code: 'AUTH_LOOKING' })
    expect(await errorOf(eyes.auth.impersonate({ userId: third.id }))).toMatchObject({ code: 'AUTH_LOOKING' })
    expect(await errorOf(eyes.session.list({}))).toMatchObject({ code: 'AUTH_IMPERSONATING' })
    expect(await errorOf(eyes.application.granted({}))).toMatchObject({ code: 'AUTH_IMPERSONATING' })
    expect((await eyes.auth.verify({})).token).toBeNull()
    // Somebody who acts as a user cannot look at a third one either.
    const { token } = await createApi(app.url, begun.originalToken).auth.impersonate({ userId: user.id })
    expect(await errorOf(createApi(app.url, token).auth.look({ userId: third.id }))).toMatchObject({
      code: 'AUTH_IMPERSONATING',
    })
  })

  test('is only for those who may impersonate the user', async () => {
    const { account, admin, user } = await looking()
    const helper = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const stranger = await looking()
    const system = await createUser(app, account, [{ roleId: await roleNamed(app, 'System administrator') }])
    expect(await errorOf(helper.api.auth.look({ userId: user.id }))).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await errorOf(stranger.admin.api.auth.look({ userId: user.id }))).toMatchObject({
      code: 'USER_NOT_FOUND',
    })
    expect(await errorOf(admin.api.auth.look({ userId: system.id }))).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await errorOf(admin.api.auth.look({ userId: admin.id }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    })
  })

  test('may follow the live connection, which closes with the look', async () => {
    const { begun, eyes } = await looking()
    using reader = await openLive(app, begun.token)
    await eyes.auth.restore({ originalToken: begun.originalToken })
    expect((await reader.closed).code).toBe(liveLimits.closeUnauthorised)
  })

  test('ends after an hour, however much it is used, and with the session of the one who looks', async () => {
    const first = await looking()
    clock.advance(lookMaxMs - 60_000)
    expect((await first.eyes.auth.verify({})).looking).toBe(true)
    clock.advance(60_000)
    expect((await first.eyes.auth.verify({})).isAuthenticated).toBe(false)
    const second = await looking()
    expect(Date.parse(second.begun.expiresAt)).toBe(clock.now().getTime() + lookMaxMs)
    await second.admin.api.auth.logout()
    expect((await second.eyes.auth.verify({})).isAuthenticated).toBe(false)
  })
})
