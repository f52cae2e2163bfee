import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { SystemLog } from './index.ts'
import { deleteOld } from './store.ts'

const systemLog = new SystemLog()
let app: TestApp
beforeAll(async () => {
  app = await startApp({
    systemLog,
    prepare: ({ http }) => {
      http.get('/api/breaks', () => {
        throw new Error('the valve is stuck')
      })
    },
  })
})

async function logs(wanted: Parameters<Api['system']['logs']>[0] = {}) {
  await systemLog.flush()
  return app.api.system.logs(wanted)
}

describe('the system log', () => {
  test('has the error of a request that failed, under the id its caller was shown', async () => {
    const reply = await fetch(`${app.url}/api/breaks`)
    expect(reply.status).toBe(500)
    const { requestId } = (await reply.json()) as { requestId: string }
    const { items, areas } = await logs({ requestId })
    expect(items).toMatchObject([
      { level: 'error', requestId, times: 1, message: 'request failed: the valve is stuck' },
    ])
    const [found] = items
    expect(found?.stack).toContain('at ')
    expect(areas).toContain(found?.area)
  })

  test('has one entry about an operation that failed', async () => {
    await app.ctx.db.schema.alterTable('feature_flags').renameTo('gone').execute()
    const failed = await fetch(`${app.url}/api/tenant/${app.rootAccountId}/feature-flags`, {
      headers: { authorization: `Bearer ${app.token}` },
    })
    await app.ctx.db.schema.alterTable('gone').renameTo('feature_flags').execute()
    const { code, requestId } = (await failed.json()) as { code: string; requestId: string }
    expect(code).toBe('INTERNAL_ERROR')
    const { items } = await logs({ requestId })
    expect(items).toHaveLength(1)
    expect(items[0]?.message).toMatch(/^request failed: .*feature_flags/)
  })

  test('is searched and filtered by level, area and time', async () => {
    app.ctx.log.warn({ connectorId: 7 }, 'the broker of the harbour is slow')
    app.ctx.log.info('the broker of the harbour is fine')
    const found = await logs({ search: 'HARBOUR' })
    expect(found.items).toMatchObject([
      { level: 'warning', about: { connectorId: 7 }, node: app.ctx.config.nodeName },
    ])
    const [{ at, area } = { at: '', area: '' }] = found.items
    const count = async (wanted: Parameters<typeof logs>[0]) =>
      (await logs({ search: 'harbour', ...wanted })).total
    expect(await count({ level: 'warning', area, from: at })).toBe(1)
    expect(await count({ level: 'error' })).toBe(0)
    expect(await count({ area: 'elsewhere' })).toBe(0)
    expect(await count({ to: at })).toBe(0)
  })

  test('counts what repeats and what comes too fast', async () => {
    for (let count = 0; count < 5; count++) app.ctx.log.warn('again and again')
    for (let count = 0; count < 1100; count++) app.ctx.log.warn(`flood ${count}`)
    expect((await logs({ search: '"again and again"' })).items).toMatchObject([{ times: 5 }])
    const [left] = (await logs({ search: 'too fast' })).items
    expect(left?.times).toBeGreaterThan(90)
    expect((await logs({ search: 'flood' })).total).toBeLessThanOrEqual(1000)
  })

  test('keeps the newest entries of the last days', async () => {
    const { db } = app.ctx
    await db
      .updateTable('system_log')
      .set({ at: new Date('2020-01-01') })
      .where('message', 'like', 'flood%')
      .execute()
    app.ctx.log.error('the last one')
    await systemLog.flush()
    await deleteOld(db, new Date())
    expect((await logs({ search: 'flood' })).total).toBe(0)
    expect((await logs({ search: 'last one' })).total).toBe(1)
  })

  test('is closed to administrators of accounts', async () => {
    const account = await createAccount(app)
    const { api } = await createUser(app, account, [
      { roleId: await roleNamed(app, 'Account administrator') },
    ])
    expect(await errorOf(api.system.logs({}))).toMatchObject({ code: 'NO_PERMISSION' })
  })
})
