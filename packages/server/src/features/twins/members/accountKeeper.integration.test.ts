import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, startApp, type TestApp } from '../../../../test/kit.ts'
import { createConnector, createDevice, createState } from '../../../../test/pipeline.ts'
import { createTwin } from '../../../../test/twins.ts'
import { AccountKeeper } from './accountKeeper.ts'

type Account = Awaited<ReturnType<typeof createAccount>>

let app: TestApp
let looked: number[] = []
let keeper: AccountKeeper
let refusing = new Set<number>()
let [mine, other]: Account[] = []
beforeAll(async () => {
  app = await startApp()
  const accounts = [await createAccount(app), await createAccount(app)] as const
  ;[mine, other] = accounts
  keeper = new AccountKeeper(app.ctx, {
    failure: 'accounts of the test could not be looked at',
    accounts: async (among) => accounts.map(({ id }) => id).filter((id) => among?.includes(id) ?? true),
    refresh: async (id) => {
      looked.push(id)
      if (refusing.delete(id)) throw new Error('not now')
    },
  })
})
afterAll(() => app[Symbol.asyncDispose]())

/** The accounts that are looked at after a change. */
async function after(change: () => Promise<unknown>): Promise<number[]> {
  await app.ctx.configChanges.settle()
  await keeper.look()
  looked = []
  await change()
  await app.ctx.configChanges.settle()
  await keeper.look()
  return looked.sort((a, b) => a - b)
}
const ids = (...accounts: (Account | undefined)[]) => accounts.map((account) => account?.id)

describe('only the account is looked at again', () => {
  test('in which a twin, a state, a device or a scope is new, changes or is deleted', async () => {
    const account = mine as Account
    const twin = { id: 0, state: 0 }
    const changes = {
      'new twin': async () => Object.assign(twin, await createTwin(app, account, { title: 'Hall' })),
      'new state': async () =>
        Object.assign(twin, { state: await createState(app, twin.id, { key: 'level' }) }),
      'changed twin': () =>
        sql`update twins set title = 'Big hall' where id = ${twin.id}`.execute(app.ctx.db),
      'deleted state': () => sql`delete from states where id = ${twin.state}`.execute(app.ctx.db),
      'new scope': () => app.api.digitaltwin.createScope({ id: twin.id }),
      'deleted twin': () => sql`delete from twins where id = ${twin.id}`.execute(app.ctx.db),
      'new device': async () =>
        createDevice(app, await createConnector(app, account.id, account.scopeId), 'D1'),
      'deleted devices': () =>
        sql`delete from twins where account_id = ${account.id} and category = 'virtualDevice'`.execute(
          app.ctx.db,
        ),
    }
    for (const [name, change] of Object.entries(changes)) expect(await after(change), name).toEqual(ids(mine))
  })

  test('from which many are deleted at once', async () => {
    const { id, scopeId } = other as Account
    const rows = 1_000
    await sql`
      insert into twins (category, account_id, scope_id, title)
      select 'digitalTwin', ${id}, ${scopeId}, 'Room ' || n from generate_series(1, ${rows}) as n`.execute(
      app.ctx.db,
    )
    const deleteAll = () => sql`delete from twins where account_id = ${id}`.execute(app.ctx.db)
    expect(await after(deleteAll)).toEqual(ids(other))
  })
})

test('all accounts are looked at again after a change of more twins than can be named', async () => {
  const { id, scopeId } = other as Account
  const fill = () =>
    sql`
      insert into twins (category, account_id, scope_id, title)
      select 'digitalTwin', ${id}, ${scopeId}, 'Room ' || n from generate_series(1, 20001) as n`.execute(
      app.ctx.db,
    )
  expect(await after(fill)).toEqual(ids(mine, other))
})

test('a look that fails is repeated, with what was announced meanwhile', async () => {
  refusing = new Set(ids(mine) as number[])
  const account = mine as Account
  await expect(after(() => createTwin(app, account, { title: 'First' }))).rejects.toThrow('not now')
  await createTwin(app, other as Account, { title: 'Second' })
  await app.ctx.configChanges.settle()
  await keeper.look()
  expect(looked).toEqual(ids(mine, mine, other))
})
