import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'

const hourMs = 3_600_000
const start = '2026-06-15T12:30:00.000Z'
const clock = new FakeClock(start)
let app: TestApp
let account: { id: number; scopeId: number }

beforeAll(async () => {
  const sessions = { sessionIdleMinutes: 90 * 24 * 60, sessionMaxHours: 90 * 24 }
  app = await startApp({ clock, config: { ...sessions, accountMessagesPerSecond: 1 } })
})
beforeEach(async () => {
  account = await createAccount(app)
})

const hits = (range: { from?: string; to?: string } = {}, id = account.id) =>
  app.api.tenant.limitHits({ id, ...range }).then(({ items }) => items)
const rows = (id = account.id) =>
  app.ctx.db.selectFrom('limit_hits').selectAll().where('account_id', '=', id).orderBy('hour').execute()

describe('limits an account has reached', () => {
  test('are counted by hour, and told by day with the last time and what it was', async () => {
    const { limitHits } = app.ctx
    limitHits.note(account.id, 'messages', { detail: 'Roof' })
    limitHits.note(account.id, 'messages', { detail: 'Cellar', times: 4 })
    limitHits.note(account.id, 'scriptTime', { detail: 'Driver' })
    await limitHits.write()
    limitHits.note(account.id, 'messages', { detail: 'Roof' })
    await limitHits.write()
    expect(await rows()).toMatchObject([
      { limit: 'messages', times: 6, detail: 'Roof' },
      { limit: 'scriptTime', times: 1, detail: 'Driver' },
    ])
    clock.advance(11 * hourMs)
    limitHits.note(account.id, 'messages', { detail: 'Late' })
    // 23:30 UTC is the next day in Berlin.
    expect(await hits()).toEqual([
      {
        limit: 'messages',
        times: 7,
        lastAt: clock.now().toISOString(),
        detail: 'Late',
        days: [
          { day: '2026-06-15', times: 6 },
          { day: '2026-06-16', times: 1 },
        ],
      },
      {
        limit: 'scriptTime',
        times: 1,
        lastAt: start,
        detail: 'Driver',
        days: [{ day: '2026-06-15', times: 1 }],
      },
    ])
    const from = new Date(clock.now().getTime() - hourMs).toISOString()
    expect(await hits({ from })).toMatchObject([{ limit: 'messages', times: 1 }])
    expect(await hits({ to: from })).toMatchObject([{ times: 1 }, { times: 6 }].reverse())
  })

  test('are forgotten after 30 days', async () => {
    app.ctx.limitHits.note(account.id, 'files')
    await app.ctx.limitHits.write()
    clock.advance(31 * 24 * hourMs)
    expect(await hits()).toEqual([])
    await app.ctx.limitHits.write()
    expect(await rows()).toEqual([])
  })

  test('of an account that is gone, or never was, hold up nothing', async () => {
    const gone = await createAccount(app)
    app.ctx.limitHits.note(gone.id, 'files')
    await app.ctx.limitHits.write()
    await app.api.tenant.delete({ id: gone.id, virtualDevices: 0 })
    app.ctx.limitHits.note(gone.id, 'files')
    app.ctx.limitHits.note(account.id, 'files')
    await app.ctx.limitHits.write()
    expect(await rows(gone.id)).toEqual([])
    expect(await rows()).toHaveLength(1)
  })

  test('keep no more of a text than a line, and none that the database cannot hold', async () => {
    app.ctx.limitHits.note(account.id, 'files', { detail: `a\u0000b\ud800${'x'.repeat(1000)}` })
    const [hit] = await hits()
    expect(hit?.detail.length).toBeLessThanOrEqual(200)
    expect(hit?.detail).not.toContain('\u0000')
  })

  test('are shown to the administrators of the account and of those above, and to nobody else', async () => {
    const roleId = await roleNamed(app, 'Account administrator')
    const viewerRole = await roleNamed(app, 'Viewer')
    const below = await createAccount(app, { parent: account })
    app.ctx.limitHits.note(below.id, 'messages')
    const above = await createUser(app, account, [{ roleId }])
    const own = await createUser(app, below, [{ roleId }])
    const viewer = await createUser(app, below, [{ roleId: viewerRole }])
    const stranger = await createUser(app, await createAccount(app), [{ roleId }])
    expect((await above.api.tenant.limitHits({ id: below.id })).items).toHaveLength(1)
    expect((await own.api.tenant.limitHits({ id: below.id })).items).toHaveLength(1)
    expect(await errorOf(own.api.tenant.limitHits({ id: account.id }))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    })
    expect(await errorOf(viewer.api.tenant.limitHits({ id: below.id }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    expect(await errorOf(stranger.api.tenant.limitHits({ id: below.id }))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    })
  })
})

test('messages above the limit of an account are counted with the connector they came to', async () => {
  const connector = await app.api.bridge.create({
    accountId: account.id,
    kind: 'webhook-in',
    name: 'Street lamps',
    settings: {},
  })
  const post = () => fetch(`${app.url}/api/hooks/${connector.key}`, { method: 'POST', body: '[]' })
  let passed = 0
  while ((await post()).status !== 429) passed += 1
  expect(passed).toBeGreaterThan(0)
  expect(await hits()).toMatchObject([{ limit: 'messages', times: 1, detail: 'Street lamps' }])
})
