import { sql } from 'kysely'
import { createAccount, type TestApp } from './kit.ts'

export const devicesTotal = 100_000
export const accountsTotal = 20

/**
 * 100 000 devices and 20 000 twins in 20 accounts, written directly into the tables.
 * @returns one of the accounts
 */
export async function seedCity(
  app: TestApp,
  devices: number = devicesTotal,
): Promise<{ id: number; scopeId: number }> {
  for (let n = 1; n < accountsTotal; n++) await createAccount(app, { name: `City ${n}` })
  const account = await createAccount(app, { name: 'City' })
  const { db } = app.ctx
  await db.transaction().execute(async (tx) => {
    await sql`insert into connectors (account_id, scope_id, name, kind, settings)
      select account_id, id, 'Network', 'mqtt-in', '{}' from scopes where parent_id is not null`.execute(tx)
    await sql`insert into twins (category, account_id, scope_id, title, type)
      select 'digitalTwin', account_id, id, 'District', 'zone' from scopes where parent_id is not null`.execute(
      tx,
    )
    await sql`insert into twins (category, account_id, scope_id, parent_id, title, type, tags)
      select 'digitalTwin', account_id, scope_id, id, 'Room ' || n, 'room', array['floor ' || n % 9]
      from twins, generate_series(1, ${20_000 / accountsTotal}) as n where type = 'zone'`.execute(tx)
    await sql`insert into twins (category, account_id, scope_id, parent_id, title, type, tags, zones, key_values,
        latitude, longitude)
      select 'virtualDevice', account_id, scope_id, id, (array['Bin', 'Lamp', 'Meter', 'Sensor'])[1 + n % 4] || ' ' || n,
        'sensor', array['tag ' || n % 20], array['zone ' || n % 10], jsonb_build_object('serial', n::text),
        47 + (n % 100) * 0.08, 6 + id % 50 * 0.1 + (n / 100) * 0.09
      from twins, generate_series(1, ${devices / accountsTotal}) as n where type = 'zone'`.execute(tx)
    await sql`insert into virtual_devices (twin_id, connector_id, external_id, driver_id, operational_status, groups)
      select t.id, c.id, '0011AABB' || lpad(upper(to_hex(t.id)), 8, '0'), (select min(id) from drivers), t.id % 6,
        array['group ' || t.id % 50]
      from twins t join connectors c on c.account_id = t.account_id where t.category = 'virtualDevice'`.execute(
      tx,
    )
    await sql`insert into device_live (twin_id, last_seen, health)
      select twin_id, case when twin_id % 10 > 0 then now() - twin_id * interval '7 seconds' end, twin_id % 4
      from virtual_devices`.execute(tx)
    await sql`insert into states (twin_id, key, title, source) select id, key, key, 'connector'
      from twins, unnest(array['temperature', 'humidity']) as key where category = 'virtualDevice'`.execute(
      tx,
    )
  })
  await sql`vacuum analyze`.execute(db)
  return account
}

/** The result of a call; `TIMES=1` prints the duration, the least of five and the first. */
export async function timed<T>(what: string, call: () => Promise<T>): Promise<T> {
  const times: number[] = []
  const first = performance.now()
  let answer = await call()
  const firstMs = Math.round(performance.now() - first)
  for (let n = 0; n < (process.env.TIMES ? 5 : 0); n++) {
    const start = performance.now()
    answer = await call()
    times.push(performance.now() - start)
  }
  if (times.length > 0) console.log(`${Math.round(Math.min(...times))} ms (first ${firstMs} ms)  ${what}`)
  return answer
}
