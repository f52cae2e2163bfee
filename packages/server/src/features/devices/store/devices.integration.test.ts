import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../../../test/kit.ts'
import { insertMissingStates } from './devices.ts'

const devices = 500
const variables = Array.from({ length: 34 }, (_, n) => ({
  key: `variable_${n}`,
  title: '',
  unit: '',
  valueType: 'number' as const,
}))
const now = new Date('2026-11-22T08:00:00Z')

let app: TestApp
let newest: number[]

beforeAll(async () => {
  app = await startApp()
  const { db } = app.ctx
  // As it is while many devices are made: the planner has not looked at the table since there was one.
  await insertMissingStates(db, await addTwins(1), variables, now, { areNew: true })
  await sql`analyze states`.execute(db)
  await insertMissingStates(db, await addTwins(devices), variables, now, { areNew: true })
  newest = await addTwins(20)
})

async function addTwins(count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    insert into twins (category, account_id, scope_id, title, type)
    select 'virtualDevice', s.account_id, s.id, 'Sensor', 'sensor'
    from (select * from scopes order by id limit 1) as s, generate_series(1, ${count}::int)
    returning id`.execute(app.ctx.db)
  return rows.map(({ id }) => id)
}

test.each([1, 19])('states of %i new devices are made without reading all states or twins', async (count) => {
  await app.ctx.db.transaction().execute(async (tx) => {
    const added = await insertMissingStates(tx, newest.splice(0, count), variables, now, { areNew: true })
    expect(added).toBe(count * variables.length)
    const { rows } = await sql`
      select relname, seq_tup_read from pg_stat_xact_user_tables where relname in ('states', 'twins') and seq_scan > 0`.execute(
      tx,
    )
    expect(rows).toEqual([])
  })
})

test('a device keeps the states it has, and gets what is missing behind them', async () => {
  const { db } = app.ctx
  const [id = 0] = await addTwins(1)
  await sql`
    insert into states (twin_id, key, title, source, variable, position)
    values (${id}, 'own', 'Own', 'connector', 'variable_1', 4), (${id}, 'variable_2', 'Computed', 'virtual', null, 2)`.execute(
    db,
  )
  expect(await insertMissingStates(db, [id], variables.slice(0, 4), now, { areNew: false })).toBe(2)
  const { rows } = await sql`
    select key, title, position from states where twin_id = ${id} order by position`.execute(db)
  expect(rows).toEqual([
    { key: 'variable_2', title: 'Computed', position: 2 },
    { key: 'own', title: 'Own', position: 4 },
    { key: 'variable_0', title: 'variable_0', position: 5 },
    { key: 'variable_3', title: 'variable_3', position: 8 },
  ])
})
