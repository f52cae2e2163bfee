import type pg from 'pg'
import type { Options } from '../arguments.ts'
import { type Api, createApi } from '../client.ts'
import { openDatabase } from '../database.ts'
import { openPlatform } from '../platform.ts'
import { type Call, timeCalls, timingsTable, timingsToJson } from './calls.ts'
import type { Report, Say } from './report.ts'

const accountsTotal = 2000
const usersTotal = 20_000
const page = 50

/** A tree of 2 000 accounts with 20 000 users. */
export async function accounts(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  await using platform = await openPlatform(options, signal)
  if (platform.database === null) throw new Error('the database of the platform is not known')
  const api = createApi(platform.url, platform.token)
  await using database = await openDatabase(platform.database)
  say(`making ${accountsTotal} accounts and ${usersTotal} users`)
  await fillAccounts(database)
  // Written directly to the tables, so the platform must invalidate its cache.
  await api.user.setProperties({ properties: {} })
  const timings = await timeCalls(api, calls, say, signal)
  return {
    json: { subject: 'accounts', accounts: accountsTotal, users: usersTotal, calls: timingsToJson(timings) },
    lines: timingsTable(timings),
  }
}

/** Accounts in four levels, ten times as many in each, and ten users with one role in each of them. */
export async function fillAccounts(database: pg.Client): Promise<void> {
  await database.query(`
    create temporary table places as
      select n, case when n <= 2 then 0 when n <= 20 then 1 + n % 2 when n <= 200 then 3 + n % 18 else 21 + n % 180 end as above
      from generate_series(1, ${accountsTotal - 1}) as n;
    create temporary table made as select 0 as n, id from accounts where parent_id is null;`)
  for (const [from, to] of [
    [1, 2],
    [3, 20],
    [21, 200],
    [201, accountsTotal - 1],
  ]) {
    await database.query(`
      with level as (select p.n, m.id as parent_id from places p join made m on m.n = p.above where p.n between ${from} and ${to}),
      inserted as (
        insert into accounts (parent_id, name, description, time_zone)
        select parent_id, 'Account ' || lpad(n::text, 4, '0'), 'Made to be measured', 'Europe/Berlin' from level
        returning id, name),
      scoped as (
        insert into scopes (parent_id, account_id, name)
        select s.id, i.id, i.name from inserted i
          join level on 'Account ' || lpad(level.n::text, 4, '0') = i.name
          join scopes s on s.account_id = level.parent_id and s.twin_id is null)
      insert into made select substr(name, 9)::int, id from inserted`)
  }
  await database.query(`
    with people as (
      insert into users (account_id, username, email, first_name, last_name)
      select made.id, 'user' || k, 'user' || k || '@example.org', 'Ada', 'Lind ' || k
      from generate_series(1, ${usersTotal}) as k join made on made.n = k % ${accountsTotal}
      returning id, account_id)
    insert into user_access (user_id, scope_id, role_id, is_main)
    select people.id, s.id, (select id from roles where name = 'Viewer'), true
    from people join scopes s on s.account_id = people.account_id and s.twin_id is null`)
  await database.query('vacuum analyze accounts, scopes, users, user_access')
}

const all = async (api: Api) => ({ rows: (await api.tenant.fetchAll()).items.length })
const calls: readonly Call[] = [
  { name: 'all accounts', run: all },
  {
    name: 'all accounts, after rights have changed',
    run: async (api) => {
      // Clears all cached rights.
      await api.user.setProperties({ properties: {} })
      return all(api)
    },
  },
  { name: 'all scopes', run: async (api) => ({ rows: (await api.acl.listScopes()).items.length }) },
  {
    name: 'users, first page',
    run: async (api) => ({ rows: (await api.user.list({ limit: page })).items.length }),
  },
  {
    name: 'users, search for a part of the name',
    run: async (api, round) => ({
      rows: (await api.user.list({ limit: page, search: `Lind ${100 + round}` })).items.length,
    }),
  },
]
