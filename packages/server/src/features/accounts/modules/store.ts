import { type ModuleKey, moduleKeys } from '@leitstand/contract/permissions'
import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'
import type { ModuleSwitch, SwitchingAccount } from './switches.ts'

/** An account and those above it, nearest first, with the module settings of each. */
export async function readSwitches(db: Executor, accountId: number): Promise<SwitchingAccount[]> {
  const { rows } = await sql<
    ModuleSwitch & { id: number; name: string; scopeId: number; module: string | null }
  >`
    select up.id, a.name, s.id as "scopeId", m.module, m.enabled, m.from_above as "fromAbove",
      m.to_new_users as "toNewUsers", m.version
    from ${accountsUp(accountId)} up join accounts a on a.id = up.id
    join scopes s on s.account_id = up.id and s.twin_id is null
    left join account_modules m on m.account_id = up.id
    order by up.distance`.execute(db)
  const accounts = new Map<number, SwitchingAccount & { switches: Map<ModuleKey, ModuleSwitch> }>()
  for (const { id, name, scopeId, module, ...said } of rows) {
    const account = accounts.get(id) ?? { id, name, scopeId, switches: new Map() }
    accounts.set(id, account)
    const key = moduleKeys.find((one) => one === module)
    if (key) account.switches.set(key, said)
  }
  return [...accounts.values()]
}

/** @returns false on a version conflict */
export async function saveSwitch(
  tx: Executor,
  accountId: number,
  module: ModuleKey,
  version: number,
  said: Omit<ModuleSwitch, 'version'>,
  at: Date,
): Promise<boolean> {
  // Rows start at version 2; a caller who saw none sends version 1, and only that inserts.
  const { rows } = await sql<{ version: number }>`
    insert into account_modules as old (account_id, module, enabled, from_above, to_new_users, updated_at)
    select ${accountId}, ${module}, ${said.enabled}, ${said.fromAbove}, ${said.toNewUsers}, ${at}
    where ${version}::int = 1 or exists (
      select from account_modules where account_id = ${accountId} and module = ${module})
    on conflict (account_id, module) do update set enabled = excluded.enabled, from_above = excluded.from_above,
      to_new_users = excluded.to_new_users, updated_at = excluded.updated_at, version = old.version + 1
    where old.version = ${version}
    returning version`.execute(tx)
  return rows.length > 0
}
