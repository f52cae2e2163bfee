import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { endOverdueAttempts, interruptLastAttempt, untilItStarts } from '../../../test/jobs.ts'
import { startApp, type TestApp } from '../../../test/kit.ts'
import { createConnector, createDevice, createDriver } from '../../../test/pipeline.ts'

let app: TestApp
let ids: number[]
beforeAll(async () => {
  app = await startApp()
  const connector = await createConnector(app, app.rootAccountId, app.rootScopeId)
  const driverId = await createDriver(app, 'function decodeUplink() { return { data: { level: 1 } } }')
  ids = [await createDevice(app, connector, 'one', driverId)]
})

const edit = () =>
  app.api.bulk.edit({
    title: 'Interrupted',
    selection: { ids },
    mode: { kind: 'edit', changes: { description: 'edited' } },
  })

test('a job whose last attempt a crash interrupted has failed, and can be resumed', async () => {
  const { id } = await untilItStarts(app, edit, () => interruptLastAttempt(app.ctx.db, 'background.run'))
  await endOverdueAttempts(app.address, app.ctx.pool)
  await app.drain()
  expect(await app.api.job.get({ id })).toMatchObject({
    state: 'failed',
    error: { code: 'BACKGROUND_JOB_INTERRUPTED' },
  })
  await app.api.job.retry({ id })
  await app.drain()
  expect(await app.api.job.get({ id })).toMatchObject({ state: 'done', done: 1 })
})

test('a restart adds no attempts to a job: one that ends every process is given up', async () => {
  const first = await startApp()
  const connector = await createConnector(first, first.rootAccountId, first.rootScopeId)
  const driverId = await createDriver(first, 'function decodeUplink() { return { data: { level: 1 } } }')
  const device = await createDevice(first, connector, 'one', driverId)
  const editing = () =>
    first.api.bulk.edit({
      title: 'Deadly',
      selection: { ids: [device] },
      mode: { kind: 'edit', changes: { description: 'edited' } },
    })
  const { id } = await untilItStarts(first, editing, () =>
    first.ctx.pool.query(
      `update pgboss.job set start_after = now() + interval '1 day' where state = 'retry'`,
    ),
  )
  await first[Symbol.asyncDispose]()
  const turnsOf = async ({ ctx }: TestApp) =>
    (await ctx.pool.query(`select state from pgboss.job where name = 'background.run'`)).rows
  const second = await startApp({ address: first.address })
  expect(await turnsOf(second)).toEqual([{ state: 'retry' }])
  await interruptLastAttempt(second.ctx.db, 'background.run')
  await second[Symbol.asyncDispose]()
  const third = await startApp({ address: first.address })
  await third.drain()
  expect(await third.api.job.get({ id })).toMatchObject({
    state: 'failed',
    error: { code: 'BACKGROUND_JOB_INTERRUPTED' },
  })
  expect(await turnsOf(third)).toEqual([{ state: 'failed' }])
})

test('a turn that begins before the one whose time was over has ended is put off', async () => {
  const { db, pool } = app.ctx
  const turn = async () =>
    (
      await pool.query(`select state from pgboss.job where name = 'background.run'
    order by created_on desc limit 1`)
    ).rows
  let id = 0
  await db.transaction().execute(async (tx) => {
    await sql`select from twins where id = ${ids[0] as number} for update`.execute(tx)
    ;({ id } = await edit())
    await expect.poll(turn).toEqual([{ state: 'active' }])
    await expect.poll(async () => (await app.api.job.get({ id })).state).toBe('inprogress')
    // As when its time is over; the second worker takes it.
    await pool.query(`update pgboss.job set state = 'retry', retry_count = 0, start_after = now() where state = 'active'
      and name = 'background.run'`)
    await expect
      .poll(
        async () =>
          (
            await pool.query(
              `select from pgboss.job where name = 'background.run' and state = 'retry' and output is not null`,
            )
          ).rowCount,
      )
      .toBe(1)
  })
  await expect.poll(async () => (await app.api.job.get({ id })).state).toBe('done')
})
