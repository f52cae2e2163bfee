import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import { type Executor, jsonb } from '../../../platform/db/index.ts'
import { type EffectiveTerms, effectiveTerms, type TermsRow } from './consent.ts'

/** The terms that apply to an account; null when no account up the tree has any. */
export async function readTerms(db: Executor, accountId: number): Promise<EffectiveTerms | null> {
  const { rows } = await sql<TermsRow>`
    select a.id, a.name, s.id as "scopeId", a.terms, coalesce(md5(a.terms), '') as revision,
      a.consent_since as "consentSince"
    from ${accountsUp(accountId)} up join accounts a on a.id = up.id
    join scopes s on s.account_id = a.id and s.twin_id is null
    order by up.distance`.execute(db)
  return effectiveTerms(rows)
}

export async function storeConsent(
  tx: Executor,
  userId: number,
  consent: { accepted: string; accountId: number; revision: string },
): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      properties: sql`properties || ${jsonb({ eula: consent })}`,
      updated_at: sql`now()`,
      version: sql`version + 1`,
    })
    .where('id', '=', userId)
    .execute()
}
