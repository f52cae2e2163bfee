import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, startApp, type TestApp } from '../../../test/kit.ts'
import type { ChangedIds } from './notices.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
const heard: ChangedIds[] = []
beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app)
  app.ctx.configChanges.on('twins', (ids) => heard.push(ids))
})
afterAll(() => app[Symbol.asyncDispose]())

/** What is announced when so many twins are made by one statement, and their ids. */
async function announced(count: number) {
  await app.ctx.configChanges.settle()
  heard.length = 0
  const { rows } = await sql<{ id: number }>`
    insert into twins (category, account_id, scope_id, title)
    select 'digitalTwin', ${account.id}, ${account.scopeId}, 'Twin ' || n from generate_series(1, ${count}::int) as n
    returning id`.execute(app.ctx.db)
  await app.ctx.configChanges.settle()
  return { notices: [...heard], ids: rows.map(({ id }) => id) }
}
const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b)

describe('a change', () => {
  test('names what has changed, several hundred in more than one notice', async () => {
    for (const count of [1, 300, 301, 1_500]) {
      const { notices, ids } = await announced(count)
      expect(notices, String(count)).toHaveLength(Math.ceil(count / 300))
      expect(sorted(notices.flatMap((each) => [...each] as number[]))).toEqual(sorted(ids))
    }
  })

  test('of more than 20 000 names none of them', async () => {
    expect((await announced(20_001)).notices).toEqual(['*'])
  })

  test('of nothing is not announced', async () => {
    expect((await announced(0)).notices).toEqual([])
  })
})
