import { beforeAll, expect, test } from 'vitest'
import { createAccount, createUser, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'
import { insertJob, stopJob } from './store.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})

test('jobs with errors of the accounts that somebody manages', async () => {
  const { db } = app.ctx
  const own = await createAccount(app)
  const other = await createAccount(app)
  const admin = await createUser(app, own, [{ roleId: await roleNamed(app, 'Account administrator') }])
  const at = new Date()
  const job = async (title: string, { id, scopeId }: { id: number; scopeId: number }, failed: unknown) => {
    const made = await insertJob(
      db,
      {
        type: 'virtualdevice-bulk-edit',
        accountId: id,
        scopeId,
        userId: admin.id,
        userName: admin.username,
        title,
        resourceType: 'account',
        resourceId: id,
        params: {},
        total: 5,
        asker: null,
      },
      at,
    )
    await db
      .updateTable('background_jobs')
      .set({ result: JSON.stringify({ failed }) })
      .where('id', '=', made.id)
      .execute()
    return made.id
  }
  const given = await job('given up', own, 0)
  await stopJob(db, given, 'failed', { code: 'INTERNAL_ERROR', message: 'it broke' }, at)
  await stopJob(db, await job('in part', own, 2), 'done', null, at)
  await stopJob(db, await job('fine', own, 0), 'done', null, at)
  await stopJob(db, await job('no number', own, 'many'), 'done', null, at)
  await stopJob(db, await job('elsewhere', other, 2), 'done', null, at)

  const faulty = await admin.api.job.list({ faulty: true, managed: true })
  expect(faulty.items.map(({ title }) => title)).toEqual(['in part', 'given up'])
  const { name } = await app.api.tenant.get({ id: own.id })
  expect(faulty.items).toMatchObject([{ accountName: name }, { error: { code: 'INTERNAL_ERROR' } }])
  // Elsewhere it is still the user's own.
  expect((await admin.api.job.list({ faulty: true })).total).toBe(3)
  expect((await app.api.job.list({ faulty: true, managed: true })).total).toBe(3)
})
