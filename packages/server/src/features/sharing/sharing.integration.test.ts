import { contract } from '@leitstand/contract'
import { isContractProcedure } from '@orpc/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import {
  type Api,
  createAccount,
  createApi,
  createApiWith,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { openLive } from '../../../test/live.ts'
import { createState, createTwin, writeValues } from '../../../test/twins.ts'
import { shareLimits } from './shares.ts'

let app: TestApp
let api: Api
let visitor: Api
let account: { id: number; scopeId: number }
const clock = new FakeClock()
const at: Record<string, number> = {}
const state: Record<string, number> = {}

const range = () => ({
  startDate: new Date(clock.now().getTime() - 3_600_000).toISOString(),
  endDate: new Date(clock.now().getTime() + 1_000).toISOString(),
})
const boardRange = () => ({ dateRangeStart: range().startDate, dateRangeEnd: range().endDate })

beforeAll(async () => {
  app = await startApp({ clock })
  account = await createAccount(app, { name: 'City' })
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])).api
  visitor = createApi(app.url)
  const add = async (title: string, parent?: string, place = {}) => {
    at[title] = (
      await createTwin(app, account, { title, ...(parent ? { parentId: at[parent] } : {}), ...place })
    ).id
    state[title] = await createState(app, at[title] as number, 'temperature', {
      title: 'Temperature',
      unit: '°C',
    })
  }
  await add('Town')
  await add('Hall', 'Town', { latitude: 51, longitude: 11 })
  await add('Room', 'Hall', { latitude: 51.001, longitude: 11.001 })
  await add('Closet', 'Room')
  await add('School', 'Town', { latitude: 51.01, longitude: 11.01 })
  await app.ctx.db
    .updateTable('twins')
    .set({ description: 'Secret passage', contacts: JSON.stringify([{ name: 'Kim', phone: '123' }]) })
    .where('id', '=', at.Hall as number)
    .execute()
  const time = new Date(clock.now().getTime() - 60_000)
  await writeValues(
    app,
    Object.values(state).map((stateId, index) => ({ stateId, value: 20 + index, time })),
  )
})

const id = (title: string) => at[title] as number
const stateOf = (title: string) => state[title] as number

/** A new link, in place of one there may be. */
async function share(
  title: string,
  settings: { password?: string; validUntil?: string; origins?: string[] } = {},
) {
  const { share: before } = await api.sharing.findExistingKey({ id: id(title) })
  if (before) await api.sharing.deleteKey({ id: id(title) })
  return api.sharing.createKey({ id: id(title), ...settings })
}

describe('a link to a twin', () => {
  test('shows it and everything below it, with current values and their history', async () => {
    const { token: key } = await share('Hall')
    expect(await visitor.shared.open({ key })).toMatchObject({
      kind: 'twin',
      locked: false,
      objectId: id('Hall'),
      title: 'Hall',
    })
    const hall = await visitor.shared.twin({ key, id: id('Hall') })
    expect(hall).toEqual({
      id: id('Hall'),
      title: 'Hall',
      type: 'default',
      icon: null,
      latitude: 51,
      longitude: 11,
      parentId: null,
      childCount: 1,
      stateCount: 1,
      level: null,
    })
    const children = await visitor.shared.children({ key, id: id('Hall') })
    expect(children.items.map(({ title, parentId }) => [title, parentId])).toEqual([['Room', id('Hall')]])
    expect((await visitor.shared.twin({ key, id: id('Closet') })).title).toBe('Closet')
    const { items } = await visitor.shared.states({ key, id: id('Room') })
    expect(items).toMatchObject([{ title: 'Temperature', unit: '°C', value: 22 }])
    const { series } = await visitor.shared.series({ key, stateIds: [stateOf('Room')], ...range() })
    expect(
      series.map(({ points }) => points.filter(([, value]) => value !== null).map(([, value]) => value)),
    ).toEqual([[22]])
  })

  test('shows them on a map', async () => {
    const { token: key } = await share('Hall')
    expect(await visitor.shared.geoMetaInfos({ key, twinId: id('Hall') })).toMatchObject({
      total: 3,
      placed: 2,
    })
    const { items } = await visitor.shared.geoClusters({ key, twinId: id('Hall'), zoom: 18 })
    expect(items.map(({ title }) => title).sort()).toEqual(['Hall', 'Room'])
    const wide = await visitor.shared.geoClusters({ key, twinId: id('Room'), zoom: 0 })
    const members = await visitor.shared.geoClusterBreakOpen({
      key,
      twinId: id('Room'),
      id: wide.items[0]?.id ?? '',
    })
    expect(members.items.map(({ title }) => title)).toEqual(['Room'])
  })

  test('says nothing that visitors have no business with', async () => {
    const { token: key } = await share('Hall')
    const seen = JSON.stringify([
      await visitor.shared.open({ key }),
      await visitor.shared.twin({ key, id: id('Hall') }),
      await visitor.shared.states({ key, id: id('Hall') }),
    ])
    expect(seen).not.toMatch(/City|Town|Secret|Kim|account|scope|source|transformer/i)
  })

  test('shows nothing beside or above it', async () => {
    const { token: key } = await share('Hall')
    for (const other of ['Town', 'School']) {
      const twinId = id(other)
      for (const call of [
        () => visitor.shared.twin({ key, id: twinId }),
        () => visitor.shared.children({ key, id: twinId }),
        () => visitor.shared.states({ key, id: twinId }),
        () => visitor.shared.geoMetaInfos({ key, twinId }),
        () => visitor.shared.geoClusters({ key, twinId, zoom: 3 }),
        () => visitor.shared.geoClusterBreakOpen({ key, twinId, id: '0_50_5_5' }),
      ])
        expect(await errorOf(call())).toMatchObject({ code: 'DTWIN_NOT_FOUND', status: 404 })
      const stateIds = [stateOf('Hall'), stateOf(other)]
      expect(await errorOf(visitor.shared.series({ key, stateIds, ...range() }))).toMatchObject({
        code: 'DTWIN_STATE_NOT_FOUND',
      })
    }
    for (const call of [
      () => visitor.shared.dashboard({ key }),
      () => visitor.shared.dashboardData({ key, ...boardRange() }),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'DASHBOARD_NOT_FOUND' })
  })

  test('follows a twin that is moved, out of it and into it', async () => {
    const { token: key } = await share('Hall')
    const move = async (title: string, to: string) => {
      const twin = await api.digitaltwin.get({ id: id(title) })
      await api.digitaltwin.update({ ...twin, parentId: id(to) })
    }
    await move('Closet', 'School')
    expect(await errorOf(visitor.shared.states({ key, id: id('Closet') }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
    await move('Closet', 'Room')
    expect((await visitor.shared.states({ key, id: id('Closet') })).items).toHaveLength(1)
  })

  test('is found, changed and ended, each with its entry in the log; there is one of each twin', async () => {
    const { token, keyId } = await share('School')
    expect(await api.sharing.isShared({ id: id('School') })).toEqual({ shared: true })
    expect((await api.sharing.findExistingKey({ id: id('School') })).share).toMatchObject({ keyId, token })
    expect(await errorOf(api.sharing.createKey({ id: id('School') }))).toMatchObject({
      code: 'SHARE_DUPLICATE',
    })
    const origins = ['https://www.example.org/', 'http://localhost:3000']
    const changed = await api.sharing.updateKey({ id: id('School'), origins })
    expect(changed).toMatchObject({ token, origins: ['https://www.example.org', 'http://localhost:3000'] })
    await api.sharing.deleteKey({ id: id('School') })
    expect(await api.sharing.isShared({ id: id('School') })).toEqual({ shared: false })
    expect(await errorOf(visitor.shared.open({ key: token }))).toMatchObject({ code: 'SHARE_NOT_FOUND' })
    expect(await errorOf(api.sharing.deleteKey({ id: id('School') }))).toMatchObject({
      code: 'SHARE_NOT_FOUND',
    })
    const { items } = await api.activityLog.list({ subject: 'DigitalTwin', objectId: id('School') })
    expect(items.map(({ action }) => action)).toEqual(['unshare', 'changeShare', 'share'])
  })

  test.each([
    'javascript:alert(1)',
    'https://a.example/path',
    'https://*.example',
    "https://a.example;script-src 'x'",
  ])('no frame of %s', async (origin) => {
    await share('School')
    expect(await errorOf(api.sharing.updateKey({ id: id('School'), origins: [origin] }))).toMatchObject({
      status: 400,
    })
  })
})

describe('the key of a link', () => {
  test('is in the list of keys, cannot be changed there, and ends the link when it is deleted', async () => {
    const { token, keyId } = await share('Hall')
    const { items } = await api.apikey.list({})
    const key = items.find((one) => one.id === keyId)
    expect(key).toMatchObject({
      title: 'Hall',
      roleId: null,
      shows: { kind: 'twin', id: id('Hall') },
      prefix: token.slice(0, 10),
    })
    const [roleId, version] = [await roleNamed(app, 'Viewer'), key?.version ?? 0]
    for (const call of [
      () => api.apikey.rotate({ id: keyId, version }),
      () => api.apikey.update({ id: keyId, version, title: 'Mine', scopeId: account.scopeId, roleId }),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'API_KEY_IS_LINK' })
    await api.apikey.delete({ id: keyId })
    await app.ctx.configChanges.settle()
    expect(await errorOf(visitor.shared.twin({ key: token, id: id('Hall') }))).toMatchObject({
      code: 'SHARE_NOT_FOUND',
    })
    expect((await api.sharing.findExistingKey({ id: id('Hall') })).share).toBeNull()
  })

  test('opens no operation of the API, whatever way it is sent', async () => {
    const { token } = await share('Hall')
    const ways: Record<string, string>[] = [{ 'x-api-key': token }, { authorization: `Bearer ${token}` }]
    const answers = new Set<string>()
    for (const headers of ways) {
      for (const { method, path } of closedOperations()) {
        const response = await fetch(`${app.url}/api${path.replaceAll(/\{\w+\}/g, '1')}`, {
          method,
          headers: { ...headers, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) },
          ...(method === 'GET' ? {} : { body: '{}' }),
        })
        const { code } = (await response.json()) as { code: string }
        answers.add(`${response.status} ${code}`)
      }
    }
    expect(
      [...answers].filter(
        (answer) =>
          !/^(401 AUTH_TOKEN_NOT_FOUND|415 BODY_TYPE_UNSUPPORTED|429 TOO_MANY_REQUESTS)$/.test(answer),
      ),
    ).toEqual([])
  })

  test('follows the shared part of the live connection, and nothing else', async () => {
    const { token } = await share('Hall')
    const own = await createState(app, id('Room'), 'humidity')
    using live = await openLive(app, token)
    for (const topic of [`twin:${id('Room')}`, `moves:${id('Hall')}`, `moves:${id('Room')}`] as const)
      expect((await live.follow(topic)).at(-1)).toMatchObject({ kind: 'subscribed' })
    for (const topic of [
      'moves',
      `moves:${id('Town')}`,
      `moves:${id('School')}`,
      `twin:${id('Town')}`,
      `twin:${id('School')}`,
      `packets:${id('Room')}`,
      'connector:1',
      'dashboard:1',
      'rule:1',
      'alarms',
    ] as const)
      expect((await live.follow(topic)).at(-1)).toMatchObject({ kind: 'refused' })
    await writeValues(app, [
      { stateId: own, value: 55, time: clock.now() },
      { stateId: stateOf('School'), value: 99, time: clock.now() },
    ])
    await app.drain()
    const values = (await live.received()).flatMap((message) =>
      message.kind === 'values' ? message.values : [],
    )
    expect(values.map(({ stateId, value }) => [stateId, value])).toEqual([[own, 55]])
    await api.sharing.deleteKey({ id: id('Hall') })
    expect((await live.closed).code).toBe(4001)
  })
})

/** Every operation that needs more than the address of a public page. */
function closedOperations(): { method: string; path: string }[] {
  const found: { method: string; path: string }[] = []
  const collect = (router: object): void => {
    for (const entry of Object.values(router) as object[]) {
      if (!isContractProcedure(entry)) collect(entry)
      else if ((entry['~orpc'].meta as { rule?: unknown }).rule !== 'public') {
        const { method = 'POST', path = '/' } = entry['~orpc'].route
        found.push({ method, path })
      }
    }
  }
  collect(contract)
  return found
}

describe('a link with a password', () => {
  test('says nothing until it is shown, and not for ever', async () => {
    const { token: key, hasPassword } = await share('Hall', { password: 'correct horse' })
    expect(hasPassword).toBe(true)
    expect(await visitor.shared.open({ key })).toMatchObject({ locked: true, title: null, objectId: null })
    expect(await errorOf(visitor.shared.twin({ key, id: id('Hall') }))).toMatchObject({
      code: 'SHARE_PASSWORD_REQUIRED',
    })
    expect(await errorOf(visitor.shared.unlock({ key, password: 'wrong horse' }))).toMatchObject({
      code: 'SHARE_PASSWORD_WRONG',
      status: 403,
    })
    const { access } = await visitor.shared.unlock({ key, password: 'correct horse' })
    const inside = createApiWith(app.url, { 'x-share-access': access })
    expect((await inside.shared.twin({ key, id: id('Hall') })).title).toBe('Hall')
    expect((await inside.shared.open({ key })).locked).toBe(false)

    // The access opens no other link.
    const other = await share('School', { password: 'correct horse' })
    expect(await errorOf(inside.shared.twin({ key: other.token, id: id('School') }))).toMatchObject({
      code: 'SHARE_PASSWORD_REQUIRED',
    })
    await api.sharing.updateKey({ id: id('Hall'), password: 'another horse' })
    expect(await errorOf(inside.shared.twin({ key, id: id('Hall') }))).toMatchObject({
      code: 'SHARE_PASSWORD_REQUIRED',
    })
    await api.sharing.updateKey({ id: id('Hall'), password: null })
    expect((await visitor.shared.twin({ key, id: id('Hall') })).title).toBe('Hall')
  })

  test('is closed on the live connection as well', async () => {
    const { token: key } = await share('Hall', { password: 'correct horse' })
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/api/live`)
    socket.on('open', () => socket.send(JSON.stringify({ kind: 'hello', token: key })))
    const code = await new Promise((resolve) => socket.once('close', resolve))
    expect(code).toBe(4001)
    const { access } = await visitor.shared.unlock({ key, password: 'correct horse' })
    using live = await openLive(app, `${key}~${access}`)
    expect((await live.follow(`twin:${id('Hall')}`)).at(-1)).toMatchObject({ kind: 'subscribed' })
  })

  test('can hardly be guessed', async () => {
    const { token: key } = await share('School', { password: 'correct horse' })
    const guesses = Array.from({ length: shareLimits.passwordsPerMinute + 20 }, (_, n) =>
      errorOf(visitor.shared.unlock({ key, password: `wrong horse ${n}` })),
    )
    const codes = (await Promise.all(guesses)).map(({ code }) => code)
    expect(codes.filter((code) => code === 'SHARE_PASSWORD_WRONG').length).toBeLessThanOrEqual(
      shareLimits.passwordsPerMinute,
    )
    expect(codes).toContain('TOO_MANY_REQUESTS')
  })
})

describe('a link ends', () => {
  test('at its time, for open pages too', async () => {
    const validUntil = new Date(clock.now().getTime() + 60_000).toISOString()
    const { token: key } = await share('Hall', { validUntil })
    using live = await openLive(app, key)
    expect(await visitor.shared.open({ key })).toMatchObject({ title: 'Hall' })
    clock.advance(61_000)
    expect(await errorOf(visitor.shared.open({ key }))).toMatchObject({ code: 'SHARE_NOT_FOUND' })
    expect(await api.sharing.isShared({ id: id('Hall') })).toEqual({ shared: false })
    expect((await live.closed).code).toBe(4001)
    // Its other settings can still be changed.
    expect((await api.sharing.updateKey({ id: id('Hall'), validUntil })).validUntil).toBe(validUntil)
    expect(
      await errorOf(api.sharing.createKey({ id: id('Room'), validUntil: new Date(0).toISOString() })),
    ).toMatchObject({ code: 'END_IN_THE_PAST' })
  })

  test('with the module of its account, and comes back with it', async () => {
    const { token: key } = await share('Hall')
    const set = async (enabled: boolean) => {
      const { items } = await api.module.list({ accountId: account.id })
      const version = items.find(({ module }) => module === 'publicDashboard')?.version ?? 0
      await api.module.set({
        accountId: account.id,
        module: 'publicDashboard',
        version,
        enabled,
        toNewUsers: null,
      })
      await app.ctx.configChanges.settle()
    }
    await set(false)
    expect(await errorOf(visitor.shared.open({ key }))).toMatchObject({ code: 'SHARE_NOT_FOUND' })
    expect(await api.sharing.canShare({ id: id('Hall') })).toEqual({ canShare: false, reason: 'module' })
    expect(await errorOf(api.sharing.createKey({ id: id('Room') }))).toMatchObject({ code: 'NO_PERMISSION' })
    await set(true)
    expect((await visitor.shared.open({ key })).title).toBe('Hall')
  })

  test('with its twin', async () => {
    const { id: shed } = await api.digitaltwin.create({ title: 'Shed', accountId: account.id })
    const { token: key, keyId } = await api.sharing.createKey({ id: shed })
    await api.digitaltwin.delete({ id: shed })
    await app.ctx.configChanges.settle()
    expect(await errorOf(visitor.shared.open({ key }))).toMatchObject({ code: 'SHARE_NOT_FOUND' })
    expect((await api.apikey.list({})).items.some((key) => key.id === keyId)).toBe(false)
  })
})

describe('who may share', () => {
  test('who has the right, and sees everything that the link would show', async () => {
    const scoped = await createTwin(app, account, { title: 'Site' })
    const below = await createTwin(app, account, { title: 'Vault', parentId: scoped.id })
    await api.digitaltwin.createScope({ id: below.id })
    const sharer = await createRole(app, [
      { subject: 'PublicSharing', actions: ['manage'] },
      { subject: 'DigitalTwin', actions: ['read'] },
    ])
    const blind = await createRole(app, [
      { subject: 'DigitalTwin', actions: ['read', 'list'], inverted: true },
    ])
    const { scopeId } = await api.digitaltwin.get({ id: below.id })
    const one = await createUser(app, account, [{ roleId: sharer }, { roleId: blind, scopeId }])
    expect(await one.api.sharing.canShare({ id: scoped.id })).toEqual({ canShare: true, reason: null })
    expect(await errorOf(one.api.sharing.createKey({ id: scoped.id }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    const reader = await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])
    expect(await reader.api.sharing.canShare({ id: scoped.id })).toEqual({
      canShare: false,
      reason: 'permission',
    })
    expect((await api.sharing.createKey({ id: scoped.id })).title).toBe('Site')
  })
})

describe('a link to a dashboard', () => {
  async function board() {
    const { id: boardId } = await api.dashboards.create({ name: 'Lobby', accountId: account.id })
    const definition = {
      type: 'value',
      title: 'Now',
      valueOptions: { stateIds: [stateOf('Room')] },
    }
    await api.dashboards.addWidget({ id: boardId, definition: definition as never })
    const { token: key } = await api.dashboardSharing.createKey({ id: boardId })
    return { boardId, key }
  }

  test('shows its widgets and their data, live', async () => {
    const { boardId, key } = await board()
    const shown = await visitor.shared.dashboard({ key })
    expect(shown).toMatchObject({ id: boardId, name: 'Lobby' })
    expect(shown.widgets).toHaveLength(1)
    const { widgets } = await visitor.shared.dashboardData({ key, ...boardRange() })
    expect(widgets[0]?.values).toMatchObject([{ stateId: stateOf('Room') }])
    using live = await openLive(app, key)
    expect((await live.follow(`dashboard:${boardId}`)).at(-1)).toMatchObject({ kind: 'subscribed' })
    expect((await live.follow(`twin:${id('Room')}`)).at(-1)).toMatchObject({ kind: 'refused' })
    await writeValues(app, [{ stateId: stateOf('Room'), value: 31, time: clock.now() }])
    await app.drain()
    expect((await live.received()).flatMap((m) => (m.kind === 'values' ? m.values : []))).toMatchObject([
      { value: 31 },
    ])
  })

  test('opens neither twins nor other dashboards', async () => {
    const { key } = await board()
    const other = await api.dashboards.create({ name: 'Inside', accountId: account.id })
    for (const call of [
      () => visitor.shared.twin({ key, id: id('Room') }),
      () => visitor.shared.states({ key, id: id('Room') }),
      () => visitor.shared.geoMetaInfos({ key, twinId: id('Room') }),
      () => visitor.shared.series({ key, stateIds: [stateOf('Room')], ...range() }),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    using live = await openLive(app, key)
    expect((await live.follow(`dashboard:${other.id}`)).at(-1)).toMatchObject({ kind: 'refused' })
  })

  test('ends with the dashboard', async () => {
    const { boardId, key } = await board()
    await api.dashboards.delete({ id: boardId })
    await app.ctx.configChanges.settle()
    expect(await errorOf(visitor.shared.open({ key }))).toMatchObject({ code: 'SHARE_NOT_FOUND' })
  })
})

describe('the page of a link', () => {
  const headersOf = async (key: string) => (await fetch(`${app.url}/public/${key}`)).headers

  test('may be shown in a frame by the web sites its account names, and no other page may', async () => {
    const { token } = await share('Hall', { origins: ['https://www.example.org'] })
    const headers = await headersOf(token)
    expect(headers.get('content-security-policy')).toMatch(
      /frame-ancestors 'self' https:\/\/www\.example\.org(;|$)/,
    )
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(headers.get('x-frame-options')).toBeNull()
    for (const other of [await headersOf(`lss_${'A'.repeat(43)}`), (await fetch(`${app.url}/`)).headers]) {
      expect(other.get('content-security-policy')).toMatch(/frame-ancestors 'self'(;|$)/)
      expect(other.get('x-frame-options')).toBe('SAMEORIGIN')
    }
  })

  test('answers only so many calls from one address', async () => {
    const { token: key } = await share('Hall')
    const { burst } = shareLimits.perAddress
    const call = () =>
      visitor.shared.open({ key }).then(
        () => 'ok',
        (error: { code: string }) => error.code,
      )
    const answers: string[] = []
    // On a slow machine some calls are allowed again while the others are answered.
    while (!answers.includes('TOO_MANY_REQUESTS') && answers.length < 20 * burst)
      answers.push(...(await Promise.all(Array.from({ length: burst }, call))))
    expect(answers.filter((answer) => answer === 'ok').length).toBeGreaterThanOrEqual(burst)
    expect(answers).toContain('TOO_MANY_REQUESTS')
  })
})
