import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'

/** Maximum unused codes per session. */
const codesOfSessionMax = 10

export async function insertExchangeCode(
  tx: Executor,
  code: { codeHash: Buffer; userId: number; sessionId: number; expiresAt: Date },
): Promise<void> {
  await tx
    .insertInto('exchange_codes')
    .values({
      code_hash: code.codeHash,
      user_id: code.userId,
      session_id: code.sessionId,
      expires_at: code.expiresAt,
    })
    .execute()
  await sql`
    delete from exchange_codes where code_hash in (
      select code_hash from exchange_codes where session_id = ${code.sessionId}
      order by expires_at desc offset ${codesOfSessionMax})`.execute(tx)
}

/**
 * How the original session signed in, which the new session inherits: the provider and its second factor
 * check.
 */
export interface HandedOn {
  userId: number
  ssoClientId: number | null
  factorByProvider: boolean
}

/** Consumes a code. @returns the user and session origin, if its session has not ended */
export async function takeExchangeCode(
  tx: Executor,
  codeHash: Buffer,
  now: Date,
): Promise<HandedOn | undefined> {
  const { rows } = await sql<HandedOn>`
    delete from exchange_codes c using sessions s
    where c.code_hash = ${codeHash} and c.expires_at > ${now}
      and s.id = c.session_id and s.expires_at > ${now}
    returning c.user_id as "userId", s.sso_client_id as "ssoClientId", s.factor_by_provider as "factorByProvider"`.execute(
    tx,
  )
  return rows[0]
}
