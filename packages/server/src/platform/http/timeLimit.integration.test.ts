import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { adminName, createApi, createDatabase, errorOf, startApp, testPassword } from '../../../test/kit.ts'
import { type Db, isStatementTimeout, openConnection, openDatabase, statementTimeoutMs } from '../db/index.ts'
import { createLog } from '../log.ts'
import { TimeLimit, withTimeLimit } from '../timeLimit.ts'

test('a call whose statement takes too long is answered 504 with REQUEST_TIMEOUT', async () => {
  await using app = await startApp()
  const blocker = await openConnection(app.address, 'blocker')
  await blocker.query('begin')
  await blocker.query('lock table users in access exclusive mode')
  const refused = await errorOf(
    createApi(app.url).auth.login({ username: adminName, password: testPassword }),
  )
  expect(refused).toMatchObject({ code: 'REQUEST_TIMEOUT', status: 504 })
  await blocker.query('rollback')
  await blocker.end()
  expect((await app.login(adminName)).token).not.toBe('')
})

const shown = async (db: Db) => {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from current_setting('statement_timeout')::interval) * 1000)::int as ms`.execute(db)
  return rows[0]?.ms
}

async function open() {
  return openDatabase(await createDatabase(), createLog('silent'))
}

test('the limit of a request holds for its statements alone', async () => {
  await using database = await open()
  const { db } = database
  const limit = new TimeLimit(7_000)
  await withTimeLimit(limit, async () => expect(await shown(db)).toBe(7_000))
  expect(await shown(db)).toBe(statementTimeoutMs)
  await withTimeLimit(new TimeLimit(50), async () => {
    const slow = sql`select pg_sleep(60)`.execute(db)
    await expect(slow).rejects.toSatisfy(isStatementTimeout)
  })
})
