import type pg from 'pg'
import type { Options } from '../arguments.ts'
import { type Api, createApi } from '../client.ts'
import { openDatabase } from '../database.ts'
import { openPlatform } from '../platform.ts'
import { rounded, table } from '../report/table.ts'
import { fillAccounts } from './accounts.ts'
import { type Call, timeCalls, timingsTable, timingsToJson } from './calls.ts'
import type { Report, Say } from './report.ts'

const page = 50
/** Furthest a page reaches by its number; beyond, the list goes on after an entry. */
const offsetMax = 10_000
const rowsAtOnce = 500_000

/** Parameters of the calls. */
interface Places {
  /** a user with one in ten of all entries */
  busyUser: number
  /** people and accounts with as many entries as the others have */
  users: readonly number[]
  accounts: readonly number[]
  /** an entry with half of all before it */
  middle: number
  middleAt: Date
}

/** The activity log of 2 000 accounts and 20 000 users: lists, searches, and the whole as CSV. */
export async function log({ rows, ...options }: Options, say: Say, signal: AbortSignal): Promise<Report> {
  await using platform = await openPlatform({ rows, ...options }, signal)
  if (platform.database === null) throw new Error('the database of the platform is not known')
  const api = createApi(platform.url, platform.token)
  await using database = await openDatabase(platform.database)
  say('making accounts and users')
  await fillAccounts(database)
  await api.user.setProperties({ properties: {} })
  const places = await fill(database, rows, say, signal)
  const timings = await timeCalls(api, callsOver(places), say, signal)
  say('CSV')
  const file = await readFile(platform.url, platform.token, signal)
  return {
    json: { subject: 'log', entries: rows, calls: timingsToJson(timings), csv: file },
    lines: [
      ...timingsTable(timings),
      '',
      ...table([
        ['CSV', 'entries', 'MB', 'first byte ms', 'entries/s'],
        ['everything', file.entries, file.megabytes, file.firstByteMs, file.entriesPerSecond].map(String),
      ]),
    ],
  }
}

/**
 * Writes directly to the table, one entry every few seconds up to now; its indexes are created afterwards,
 * which is faster.
 */
async function fill(database: pg.Client, total: number, say: Say, signal: AbortSignal): Promise<Places> {
  const { rows: indexes } = await database.query<{ name: string; definition: string }>(`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename = 'activities' and indexname <> 'activities_pkey'`)
  for (const { name } of indexes) await database.query(`drop index ${name}`)
  await database.query(`
    create temporary table people as
      select row_number() over (order by id) - 1 as k, id, account_id, username from users;
    create index on people (k);
    analyze people;`)
  for (let from = 0; from < total; from += rowsAtOnce) {
    signal.throwIfAborted()
    say(`${from} of ${total} entries`)
    // One in ten is by the first user, one in ten about an account, one in fifty by an impersonating user.
    await database.query(
      `insert into activities (at, account_id, user_id, user_name, ip, impersonator_id, impersonator_name,
        action, subject, object_id, object_title, changes)
      select now() - (($1::bigint - n) * 5 || ' seconds')::interval, who.account_id, who.id, who.username,
        '198.51.100.' || n % 250, other.id, other.username,
        (array['update', 'create', 'login', 'delete', 'move'])[1 + n % 5],
        case when n % 10 = 3 then 'Tenant' else 'User' end,
        case when n % 10 = 3 then who.account_id else what.id end,
        case when n % 10 = 3 then 'Account of ' || who.username else what.username end,
        jsonb_build_object('firstName', jsonb_build_array('Ada', 'Grace'), 'phone', jsonb_build_array('', '+49 30 ' || n))
      from generate_series($2::bigint, $3::bigint) as n
      join people who on who.k = case when n % 10 = 0 then 0 else n * 7919 % (select count(*) from people) end
      join people what on what.k = n * 104729 % (select count(*) from people)
      left join people other on n % 50 = 7 and other.k = n * 31 % (select count(*) from people)`,
      [total, from + 1, Math.min(from + rowsAtOnce, total)],
    )
  }
  await database.query(`set maintenance_work_mem = '512MB'`)
  for (const { name, definition } of indexes) {
    signal.throwIfAborted()
    say(`index ${name}`)
    await database.query(definition)
  }
  await database.query('vacuum analyze activities')
  return readPlaces(database)
}

async function readPlaces(database: pg.Client): Promise<Places> {
  const { rows: people } = await database.query<{ id: number; account_id: number }>(
    'select id, account_id from people order by k limit 400',
  )
  const [busy, ...others] = people
  const { rows: middle } = await database.query<{ id: string; at: Date }>(`
    select id, at from activities where id >= (select (min(id) + max(id)) / 2 from activities) order by id limit 1`)
  const [entry] = middle
  if (!busy || !entry) throw new Error('nothing was written')
  return {
    busyUser: busy.id,
    users: others.map(({ id }) => id),
    accounts: [...new Set(others.map(({ account_id }) => account_id))],
    middle: Number(entry.id),
    middleAt: entry.at,
  }
}

function callsOver({ busyUser, users, accounts, middle, middleAt }: Places): Call[] {
  type Input = Parameters<Api['activityLog']['list']>[0]
  const entries = (name: string, input: (round: number) => Input): Call => ({
    name,
    run: async (api, round) => ({
      rows: (await api.activityLog.list({ limit: page, ...input(round) })).items.length,
    }),
  })
  const one = (ids: readonly number[], round: number) => ids.slice(round % ids.length).slice(0, 1)
  const nothing = (name: string, input: (round: number) => Input): Call => ({
    ...entries(name, input),
    findsNothing: true,
  })
  return [
    entries('first page', () => ({})),
    entries('deep page', (round) => ({ offset: offsetMax - page * (1 + round) })),
    entries('after an entry in the middle', (round) => ({ before: middle - round })),
    entries('until a day in the middle', () => ({ to: middleAt.toISOString() })),
    entries('by a user', (round) => ({ userIds: one(users, round) })),
    entries('by a user with a tenth of all', () => ({ userIds: [busyUser] })),
    entries('by a user, of one kind', (round) => ({ userIds: one(users, round), subject: 'User' })),
    entries('about an object', (round) => ({ subject: 'User', objectId: one(users, round)[0] })),
    entries('of a kind and an action', () => ({ subject: 'Tenant', action: 'delete' })),
    entries('of an account', (round) => ({ accountIds: one(accounts, round) })),
    entries('of 200 accounts', () => ({ accountIds: accounts.slice(0, 200) })),
    entries('search for a part of a name', (round) => ({ search: `ser${100 + round}` })),
    entries('search for a part many have', () => ({ search: 'user' })),
    nothing('search that finds nothing', (round) => ({ search: `nobody ${round}` })),
    nothing('by a user who did nothing', (round) => ({ userIds: [2_000_000_000 + round] })),
    nothing('about no object', (round) => ({ subject: 'User', objectId: 2_000_000_000 + round })),
  ]
}

/** Downloads the file as a browser would, as fast as possible. */
async function readFile(url: string, token: string, signal: AbortSignal) {
  const started = performance.now()
  const reply = await fetch(`${url}/api/activityLog/csv-export`, {
    headers: { authorization: `Bearer ${token}` },
    signal,
  })
  if (!reply.ok || reply.body === null) throw new Error(`CSV: the platform answered ${reply.status}`)
  let firstByteMs: number | null = null
  let [bytes, lines] = [0, 0]
  for await (const chunk of reply.body) {
    firstByteMs ??= performance.now() - started
    bytes += chunk.length
    for (const byte of chunk) if (byte === 0x0a) lines++
  }
  const seconds = (performance.now() - started) / 1000
  // The heading is not an entry.
  const entries = lines - 1
  return {
    entries,
    megabytes: Math.round(bytes / 1e6),
    firstByteMs: rounded(firstByteMs ?? 0),
    entriesPerSecond: Math.round(entries / seconds),
  }
}
