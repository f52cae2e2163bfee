import { beforeAll, describe, expect, test } from 'vitest'
import { createAccount, createUser, errorOf, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'
import { system } from '../../platform/http/caller.ts'
import { recordActivity } from './index.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))

/** Entries of an account, one a minute; the newest has the highest number. */
async function entries(
  accountId: number | null,
  count: number,
  more: { action?: string; title?: string } = {},
) {
  const { action = 'update', title = 'Pump' } = more
  await app.ctx.db
    .insertInto('activities')
    .values(
      Array.from({ length: count }, (_, index) => ({
        at: at(index),
        account_id: accountId,
        user_id: 900_000 + (index % 2),
        user_name: `user ${index % 2}`,
        action,
        subject: 'Thing',
        object_id: index + 1,
        object_title: `${title} ${index + 1}`,
      })),
    )
    .execute()
}

async function administered() {
  const account = await createAccount(app)
  const admin = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  return { account, ...admin }
}

const ids = (page: { items: { objectId: number | null }[] }) => page.items.map(({ objectId }) => objectId)

describe('the activity log', () => {
  test('shows the accounts one manages, newest first, page by page or after an entry', async () => {
    const { account, api } = await administered()
    const other = await administered()
    await entries(account.id, 7)
    await entries(other.account.id, 3)
    await entries(null, 2)
    const subject = 'Thing'
    const first = await api.activityLog.list({ subject, limit: 3 })
    expect(first).toMatchObject({ total: 7, more: false })
    expect(ids(first)).toEqual([7, 6, 5])
    expect(ids(await api.activityLog.list({ subject, limit: 3, offset: 3 }))).toEqual([4, 3, 2])
    const last = first.items.at(-1)?.id ?? 0
    expect(ids(await api.activityLog.list({ subject, limit: 3, before: last }))).toEqual([4, 3, 2])
    // Only administrators of the installation see entries about the whole platform.
    const accountIds = [other.account.id]
    expect(ids(await api.activityLog.list({ subject, accountIds }))).toEqual([])
    const all = await app.api.activityLog.list({ subject, limit: 100 })
    expect(all.items.filter(({ accountId }) => accountId === null)).toHaveLength(2)
    expect(ids(await app.api.activityLog.list({ subject, accountIds }))).toEqual([3, 2, 1])
  })

  test('is read of many accounts as of few', async () => {
    const { account, api } = await administered()
    for (let index = 0; index < 55; index++) await createAccount(app, { parent: account })
    await entries(account.id, 5)
    expect(ids(await api.activityLog.list({ subject: 'Thing', limit: 2, offset: 1 }))).toEqual([4, 3])
  })

  test('is filtered by period, user, action, object and text, all at once', async () => {
    const { account, api } = await administered()
    await entries(account.id, 6)
    await entries(account.id, 2, { action: 'delete', title: 'Valve_' })
    const of = async (input: object) => ids(await api.activityLog.list({ subject: 'Thing', ...input }))
    expect(await of({ from: at(2).toISOString(), to: at(4).toISOString() })).toEqual([4, 3])
    expect(await of({ action: 'delete' })).toEqual([2, 1])
    expect(await of({ userIds: [900_001], action: 'update' })).toEqual([6, 4, 2])
    expect(await of({ objectId: 2 })).toEqual([2, 2])
    // Wildcard characters of SQL are matched literally.
    expect(await of({ search: 'valve_ ' })).toEqual([2, 1])
    expect(await of({ search: 'USER 1', objectId: 6 })).toEqual([6])
    expect(await of({ search: 'nothing like it' })).toEqual([])
  })

  test('counts no further than somebody reads, and says so', async () => {
    const { account, api } = await administered()
    await app.ctx.db.transaction().execute(async (tx) => {
      for (let part = 0; part < 11; part++)
        await tx
          .insertInto('activities')
          .values(
            Array.from({ length: 1000 }, () => ({
              account_id: account.id,
              user_name: 'x',
              action: 'update',
              subject: 'Many',
            })),
          )
          .execute()
    })
    expect(await api.activityLog.list({ subject: 'Many', limit: 1 })).toMatchObject({
      total: 10_000,
      more: true,
    })
    expect(await errorOf(api.activityLog.list({ offset: 10_001 }))).toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
    expect((await csvOf(account.id, 'subject=Many')).trimEnd().split('\r\n')).toHaveLength(11_001)
  })

  test('names who acted and as whom; a filter finds both', async () => {
    const { account, id } = await administered()
    const lent = await app.api.auth.impersonate({ userId: id })
    const renamed = { ...(await app.api.tenant.get({ id: account.id })), description: 'by two' }
    const done = await fetch(`${app.url}/api/tenant/${account.id}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${lent.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(renamed),
    })
    expect(done.status).toBe(200)
    const me = (await app.api.auth.verify({})).user?.id ?? 0
    for (const userId of [id, me]) {
      const { items } = await app.api.activityLog.list({
        userIds: [userId],
        subject: 'Tenant',
        objectId: account.id,
      })
      expect(items[0]).toMatchObject({ userId: id, impersonatorName: 'admin@localhost' })
    }
  })

  test('is closed to those who do not manage everything', async () => {
    const account = await createAccount(app)
    const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])
    expect(await errorOf(api.activityLog.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await errorOf(api.activityLog.exportFile({}))).toMatchObject({ code: 'NO_PERMISSION' })
  })
})

/** The CSV file as the API returns it. */
async function csvOf(accountId: number, query: string, token = app.token): Promise<string> {
  const reply = await fetch(`${app.url}/api/activityLog/csv-export?accountIds=${accountId}&${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="activity-.*\.csv"$/)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await reply.arrayBuffer())
}

describe('the log as CSV', () => {
  test('holds what the list holds, harmless for spreadsheets', async () => {
    const { account } = await administered()
    await recordActivity(app.ctx.db, system('=cmd()'), {
      action: 'update',
      subject: 'Thing',
      objectId: 5,
      objectTitle: '=1+1;"x"',
      accountId: account.id,
      changes: { name: ['a', 'b'] },
    })
    const text = await csvOf(account.id, 'subject=Thing&language=de')
    const [head, line, end] = text.split('\r\n')
    expect(head).toMatch(/^\uFEFFZeit \(UTC\);Benutzer;/)
    expect(line).toContain(
      `;'=cmd();;;;update;Thing;5;"'=1+1;""x""";${account.name};"{""name"":[""a"",""b""]}"`,
    )
    expect(end).toBe('')
  })

  test('keeps to the limit of the account, and says what is missing', async () => {
    const { account, token } = await administered()
    await entries(account.id, 5)
    await app.ctx.db
      .updateTable('accounts')
      .set({ csv_export_limit: 3 })
      .where('id', '=', account.id)
      .execute()
    const lines = (await csvOf(account.id, 'subject=Thing', token)).trimEnd().split('\r\n')
    expect(lines).toHaveLength(5)
    expect(lines.at(-1)).toBe('Cut after 3 entries. Narrow the period.')
    await app.ctx.db
      .updateTable('accounts')
      .set({ csv_export_limit: 5 })
      .where('id', '=', account.id)
      .execute()
    expect((await csvOf(account.id, 'subject=Thing', token)).trimEnd().split('\r\n')).toHaveLength(6)
  })

  test('of an account that is not seen is empty', async () => {
    const [mine, theirs] = [await administered(), await administered()]
    await entries(theirs.account.id, 3)
    expect((await csvOf(theirs.account.id, '', mine.token)).trimEnd().split('\r\n')).toHaveLength(1)
  })
})
