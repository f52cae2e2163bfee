import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/kit.ts'
import { addMissingStates } from './driverStates.ts'

test('a device keeps the states it has, and gets what is missing behind them', async () => {
  await using app = await startApp()
  const { db } = app.ctx
  const { rows: twins } = await sql<{ id: number }>`
    insert into twins (category, account_id, scope_id, title, type)
    select 'virtualDevice', s.account_id, s.id, 'Sensor', 'sensor' from (select * from scopes order by id limit 1) as s
    returning id`.execute(db)
  const id = twins[0]?.id ?? 0
  const variables = Array.from({ length: 4 }, (_, n) => {
    return { key: `variable_${n}`, title: '', unit: '', valueType: 'number' as const }
  })
  await sql`
    insert into states (twin_id, key, title, source, variable, position)
    values (${id}, 'own', 'Own', 'connector', 'variable_1', 4), (${id}, 'variable_2', 'Computed', 'virtual', null, 2)`.execute(
    db,
  )
  await addMissingStates(db, id, variables, new Date('2026-11-22T08:00:00Z'))
  const { rows } = await sql`
    select key, title, position from states where twin_id = ${id} order by position`.execute(db)
  expect(rows).toEqual([
    { key: 'variable_2', title: 'Computed', position: 2 },
    { key: 'own', title: 'Own', position: 4 },
    { key: 'variable_0', title: 'variable_0', position: 5 },
    { key: 'variable_3', title: 'variable_3', position: 7 },
  ])
})
