import { sql } from 'kysely'
import { int4Array } from '../../platform/db/arrays.ts'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { filesOf, readScopes } from '../twins/index.ts'
import { countInAccount } from './store/statistics.ts'

/** Titles are left-joined, so that they are not read if only numbers are requested. */
export const deviceObjects = {
  kinds: {
    virtualDevice: {
      table: 'virtual_devices',
      subject: 'VirtualDevice',
      things: (caller) => sql`
        select v.twin_id as id, t.title, v.scope_id = ${anyOf(readScopes(caller, 'virtualDevice'))} as visible,
          null::text as owner_kind, null::int as owner_id
        from virtual_devices v left join twins t on t.id = v.twin_id`,
      used: {
        as: 'twin',
        notFound: 'VDEVICE_NOT_FOUND',
        parts: { kind: 'state', ids: (id) => sql`select id from states where twin_id = ${id}` },
      },
      shownAs: 'virtualDevice',
      references: [
        {
          used: 'twin',
          note: 'child',
          rows: sql`select id as user_id, parent_id as used_id from twins where category = 'virtualDevice'`,
        },
        {
          used: 'driver',
          note: 'driver',
          rows: sql`select twin_id as user_id, driver_id as used_id from virtual_devices`,
        },
        {
          used: 'connector',
          note: 'connector',
          rows: sql`select twin_id as user_id, connector_id as used_id from virtual_devices`,
        },
        {
          used: 'deviceTemplate',
          note: 'template',
          rows: sql`select twin_id as user_id, template_id as used_id from virtual_devices`,
        },
      ],
      accounts: sql`select twin_id as id, account_id from virtual_devices`,
      withAccount: {
        blocks: 'virtualDevice',
        rows: (id) =>
          sql`select id, title from twins where account_id = ${id} and category = 'virtualDevice'`,
      },
      owned: { next: nextDevices, existing: existingDevices },
      files: filesOf('virtualDevice', 'VDEVICE_NOT_FOUND'),
      favourite: true,
    },
  },
  hooks: { beforeTwinsMove: lockDevices },
  counts: { devices: countInAccount },
  views: {
    devices: sql`
      select v.twin_id as id, t.title, v.account_id, v.scope_id, v.driver_id, v.template_id, l.last_seen
      from virtual_devices v left join twins t on t.id = v.twin_id left join device_live l on l.twin_id = v.twin_id`,
  },
} as const satisfies FeatureObjects<'virtualDevice'>

/** The next devices of an account after an id, at most `limit`, by id. */
async function nextDevices(db: Executor, accountId: number, after: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select twin_id as id from virtual_devices where account_id = ${accountId} and twin_id > ${after}
    order by twin_id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Those of these devices that exist. */
async function existingDevices(db: Executor, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select twin_id as id from virtual_devices where twin_id = any(${int4Array(ids)}::int4[])`.execute(db)
  return rows.map(({ id }) => id)
}

/** Storing packets locks devices before their twins. */
async function lockDevices(tx: Executor, ids: readonly number[]): Promise<void> {
  await sql`
    select from device_live where twin_id = any(${int4Array(ids)}::int4[]) order by twin_id for update`.execute(
    tx,
  )
}
