import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase } from '../../../../test/kit.ts'
import { migrationsFolder } from '../../../platform/db/location.ts'
import { migrate, readMigrations } from '../../../platform/db/migrate.ts'

/** The migration that brings accepted versions. */
const number = 41
let client: pg.Client

beforeAll(async () => {
  client = new pg.Client(await createDatabase({ migrated: false }))
  await client.connect()
  const all = readMigrations(migrationsFolder)
  await migrate(
    client,
    all.filter((each) => each.number < number),
  )
  await client.query(`
    insert into accounts (id, parent_id, name) overriding system value
    values (1, null, 'Top'), (2, 1, 'Author'), (3, 2, 'Below'), (4, 1, 'Elsewhere');
    insert into scopes (id, account_id, name) overriding system value
    values (1, 1, 'Top'), (2, 2, 'Author'), (3, 3, 'Below'), (4, 4, 'Elsewhere');
    insert into drivers (id, account_id, scope_id, visibility, title, library_key, published_version, specs)
    overriding system value values
      (1, 1, 1, 'everyone', 'Of the top', null, 1, '{"documentationUrl": "https://example.org/a?b#c"}'),
      (2, 2, 2, 'everyone', 'Of the author', null, 2, '{"documentationUrl": "javascript:alert(1)", "model": "m"}'),
      (3, 1, 1, 'everyone', 'Delivered', 'key', 1, '{"documentationUrl": "https://user:secret@example.org"}'),
      (4, 2, 2, 'account', 'Draft', null, null, '{}');
    insert into driver_versions (driver_id, number, script) values (1, 1, ''), (2, 1, ''), (2, 2, ''), (3, 1, ''), (4, 1, '');
    insert into connectors (id, account_id, scope_id, name, kind, settings) overriding system value
    values (1, 1, 1, 'In', 'mqtt', '{}');
    insert into twins (id, category, account_id, scope_id, title) overriding system value
    select n, 'virtualDevice', account, account, 'Device'
    from (values (1, 2), (2, 3), (3, 4), (4, 4), (5, 4), (6, 3)) as t (n, account);
    insert into virtual_devices (twin_id, connector_id, external_id, driver_id)
    values (1, 1, 'a', 2), (2, 1, 'b', 2), (3, 1, 'c', 2), (4, 1, 'd', 1), (5, 1, 'e', 3), (6, 1, 'f', 4);`)
  await migrate(client, all)
})
afterAll(() => client.end())

const rows = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows

it('keeps what runs today as what was accepted, in each account but the author’s', async () => {
  expect(
    await rows('select account_id, driver_id, version_number from driver_acceptances order by 1, 2'),
  ).toEqual([
    { account_id: 3, driver_id: 2, version_number: 2 },
    { account_id: 4, driver_id: 1, version_number: 1 },
    { account_id: 4, driver_id: 2, version_number: 2 },
  ])
  expect(
    await rows(
      'select twin_id, driver_version_in(driver_id, account_id) as runs from virtual_devices order by 1',
    ),
  ).toEqual([2, 2, 2, 1, 1, null].map((runs, at) => ({ twin_id: at + 1, runs })))
})

it('offers to everyone only what the account at the top offers', async () => {
  expect(await rows('select id, visibility from drivers order by id')).toEqual([
    { id: 1, visibility: 'everyone' },
    { id: 2, visibility: 'account' },
    { id: 3, visibility: 'everyone' },
    { id: 4, visibility: 'account' },
  ])
})

it('forgets addresses that are none of the web', async () => {
  expect(await rows('select specs from drivers order by id')).toEqual([
    { specs: { documentationUrl: 'https://example.org/a?b#c' } },
    { specs: { model: 'm' } },
    { specs: {} },
    { specs: {} },
  ])
})
