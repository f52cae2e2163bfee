import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../../../test/kit.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { addStates, addStatesOfNew, fedState } from './stateWrites.ts'

const devices = 500
const states = Array.from({ length: 34 }, (_, n) =>
  fedState({ key: `variable_${n}`, title: '', unit: '', valueType: 'number' }),
)
const now = new Date('2026-11-22T08:00:00Z')

let app: TestApp
let newest: NewDevice[]

beforeAll(async () => {
  app = await startApp()
  const { db } = app.ctx
  // As during bulk creation: the statistics of the planner are from when the table had one device.
  await addStatesOfNew(db, await addDevices(1), states, now)
  await sql`analyze states`.execute(db)
  await addStatesOfNew(db, await addDevices(devices), states, now)
  newest = await addDevices(20)
})

interface NewDevice {
  twinId: number
  scopeId: number
}

async function addDevices(count: number): Promise<NewDevice[]> {
  const { rows } = await sql<NewDevice>`
    insert into twins (category, account_id, scope_id, title, type)
    select 'virtualDevice', s.account_id, s.id, 'Sensor', 'sensor'
    from (select * from scopes order by id limit 1) as s, generate_series(1, ${count}::int)
    returning id as "twinId", scope_id as "scopeId"`.execute(app.ctx.db)
  return rows
}

/** Sequential scans by this connection. */
async function readScans(tx: Executor) {
  const { rows } = await sql`
    select relname, seq_scan, seq_tup_read from pg_stat_xact_user_tables
    where relname in ('states', 'twins') and seq_scan > 0 order by relname`.execute(tx)
  return rows
}

test.each([1, 19])('states of %i new devices are made without reading all states or twins', async (count) => {
  await app.ctx.db.transaction().execute(async (tx) => {
    // Earlier scans of the connection may still be counted.
    const before = await readScans(tx)
    const made = newest.splice(0, count)
    await addStatesOfNew(tx, made, states, now)
    expect(await readScans(tx)).toEqual(before)
    const { rows } =
      await sql`select from states where twin_id = any(${made.map(({ twinId }) => twinId)})`.execute(tx)
    expect(rows).toHaveLength(count * states.length)
  })
})

test('states go behind those of their own twin; keys it has are left alone', async () => {
  const { db } = app.ctx
  const [one = 0, other = 0] = (await addDevices(2)).map(({ twinId }) => twinId)
  const [first, second, third] = [states.slice(0, 1), states.slice(1, 2), states.slice(2, 3)]
  await addStates(db, [{ twinIds: [one], states: [...first, ...second] }], { now })
  const added = await addStates(
    db,
    [
      { twinIds: [one], states: [...third, ...first] },
      {
        twinIds: [one, other],
        states: [{ key: 'own', title: 'Own', source: 'none', value_type: 'text' }],
      },
      { twinIds: [other], states: first },
    ],
    { now },
  )
  expect(added).toHaveLength(4)
  const { rows } = await sql`
    select twin_id as twin, key, source, value_type as type, variable, source_settings as settings,
      row_number() over (partition by twin_id order by position)::int as place
    from states where twin_id in (${one}, ${other}) order by twin_id, position`.execute(db)
  const fed = (key: string) => ({
    key,
    source: 'connector',
    type: 'number',
    variable: key,
    settings: { variable: key },
  })
  const own = { key: 'own', source: 'none', type: 'text', variable: null, settings: {} }
  expect(rows).toEqual([
    { twin: one, ...fed('variable_0'), place: 1 },
    { twin: one, ...fed('variable_1'), place: 2 },
    { twin: one, ...fed('variable_2'), place: 3 },
    { twin: one, ...own, place: 4 },
    { twin: other, ...own, place: 1 },
    { twin: other, ...fed('variable_0'), place: 2 },
  ])
})

test('states of new devices lie next to each other, and a key that comes twice counts once', async () => {
  const { db } = app.ctx
  const made = await addDevices(3)
  await addStatesOfNew(db, made, [...states.slice(0, 3), ...states.slice(1, 4)], now)
  const { rows } = await sql`
    select twin_id as "twinId", scope_id as "scopeId", of_device as "ofDevice", key, position from states
    where twin_id = any(${made.map(({ twinId }) => twinId)}) order by id`.execute(db)
  const expected = made.flatMap((device) =>
    [0, 1, 2, 3].map((at) => ({ ...device, ofDevice: true, key: `variable_${at}`, position: at + 1 })),
  )
  expect(rows).toEqual(expected)
})
