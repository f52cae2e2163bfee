import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import type { Language } from '../../../platform/mail/text.ts'
import { languageOf } from '../passwords/mails.ts'

/** Maximum recipients of a notice about an account. */
const administratorsMax = 20

/** Addresses and languages of users who administer an account by a role granted in the account itself. */
export async function readAdministrators(
  db: Executor,
  accountId: number,
): Promise<{ email: string; language: Language }[]> {
  const { rows } = await sql<{ email: string; properties: unknown }>`
    select u.email, u.properties from users u
    where u.active and u.id in (
      select a.user_id from user_access a
      join scopes s on s.id = a.scope_id and s.account_id = ${accountId} and s.twin_id is null
      join roles r on r.id = a.role_id and r.rules @> '[{"subject":"all","actions":["manage"]}]')
    order by u.id limit ${administratorsMax}`.execute(db)
  return rows.map(({ email, properties }) => ({ email, language: languageOf(properties) }))
}
