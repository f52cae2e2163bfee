import { modules } from '@leitstand/contract/modules'
import { type ModuleKey, moduleKeys } from '@leitstand/contract/permissions'
import { deliveredRoles, type RoleKey } from '@leitstand/contract/roles'
import { sql } from 'kysely'
import { accountsBelow } from '../../../platform/db/accountTree.ts'
import { type Executor, jsonb } from '../../../platform/db/index.ts'

/** Users with a role, in the account or below, that names a permission of a module. */
export async function countModuleUsers(db: Executor, accountId: number): Promise<Map<string, number>> {
  const pairs = moduleKeys.flatMap((key) => modules[key].subjects.map((subject) => ({ key, subject })))
  const { rows } = await sql<{ module: string; users: number }>`
    with named as (
      select distinct r.id as role_id, m.module
      from roles r cross join jsonb_array_elements(r.rules) line
      join unnest(${pairs.map(({ key }) => key)}::text[], ${pairs.map(({ subject }) => subject)}::text[])
        as m (module, subject) on m.subject = line ->> 'subject'
      where not coalesce((line ->> 'inverted')::boolean, false))
    select named.module, count(distinct ua.user_id)::int as users
    from ${accountsBelow(accountId)} below join scopes s on s.account_id = below.id
    join user_access ua on ua.scope_id = s.id join named on named.role_id = ua.role_id
    group by named.module`.execute(db)
  return new Map(rows.map(({ module, users }) => [module, users]))
}

export async function findModuleRole(db: Executor, module: ModuleKey): Promise<number | undefined> {
  const row = await db.selectFrom('roles').select('id').where('module', '=', module).executeTakeFirst()
  return row?.id
}

/** The role a module gives to new users; created on first use, and an ordinary role from then on. */
export async function insertModuleRole(
  tx: Executor,
  module: ModuleKey,
  key: RoleKey,
): Promise<{ id: number; name: string } | undefined> {
  const name = deliveredRoles[key]
  const { rows } = await sql<{ id: number; name: string }>`
    insert into roles (account_id, name, key, description, icon, rules, module)
    select null, case when taken then ${`${name} (module)`} else ${name} end, case when taken then null else ${key} end,
      'Given to new users of accounts that give them this module', 'key', ${jsonb(modules[module].newUsers)}, ${module}
    from (select exists (select from roles where account_id is null and name = ${name}) as taken) as before
    on conflict do nothing returning id, name`.execute(tx)
  return rows[0]
}

/** The roles of these modules. */
export async function readModuleRoles(db: Executor, keys: readonly ModuleKey[]): Promise<number[]> {
  if (keys.length === 0) return []
  const rows = await db.selectFrom('roles').select('id').where('module', 'in', keys).orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** Whether an account gives the role to new users. */
export async function isGivenToNewUsers(db: Executor, roleId: number): Promise<boolean> {
  const row = await db
    .selectFrom('account_modules')
    .innerJoin('roles', 'roles.module', 'account_modules.module')
    .select('account_modules.account_id')
    .where('roles.id', '=', roleId)
    .where('account_modules.to_new_users', '=', true)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
