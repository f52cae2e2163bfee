import { sql } from 'kysely'
import { accountsUp } from '../../db/accountTree.ts'
import type { Executor } from '../../db/index.ts'
import type { Language } from '../text.ts'
import type { TemplateText } from './kind.ts'

/** A template that an account has set. */
export interface StoredTemplate extends TemplateText {
  accountId: number
  /** of the topmost account */
  isTop: boolean
  version: number
  updatedAt: Date
}

/** The templates of a kind that an account and its ancestors have set, nearest first. */
export async function findTemplates(
  db: Executor,
  accountId: number,
  kind: string,
  language: Language,
): Promise<StoredTemplate[]> {
  const { rows } = await sql<StoredTemplate>`
    select t.account_id as "accountId", a.parent_id is null as "isTop", t.subject, t.body, t.version,
      t.updated_at as "updatedAt"
    from ${accountsUp(accountId)} up
    join mail_templates t on t.account_id = up.id and t.kind = ${kind} and t.language = ${language}
    join accounts a on a.id = up.id
    order by up.distance`.execute(db)
  return rows
}

/** Which templates an account and its ancestors have set, nearest first; without their texts. */
export async function listTemplates(
  db: Executor,
  accountId: number,
): Promise<{ accountId: number; isTop: boolean; kind: string; language: Language }[]> {
  const { rows } = await sql<{ accountId: number; isTop: boolean; kind: string; language: Language }>`
    select t.account_id as "accountId", a.parent_id is null as "isTop", t.kind, t.language
    from ${accountsUp(accountId)} up
    join mail_templates t on t.account_id = up.id
    join accounts a on a.id = up.id
    order by up.distance`.execute(db)
  return rows
}

/** Whether no account is above this one. */
export async function isTopmost(db: Executor, accountId: number): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('parent_id')
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row !== undefined && row.parent_id === null
}

/** Whose template, of what and in which language. */
export interface TemplateKey {
  accountId: number
  kind: string
  language: Language
}

/** @param version what the writer read; 0: there was none @returns false when another was faster */
export async function storeTemplate(
  tx: Executor,
  { accountId, kind, language }: TemplateKey,
  { subject, body, version, at }: TemplateText & { version: number; at: Date },
): Promise<boolean> {
  const words = { subject, body, updated_at: at }
  if (version === 0) {
    const added = await tx
      .insertInto('mail_templates')
      .values({ account_id: accountId, kind, language, ...words })
      .onConflict((conflict) => conflict.doNothing())
      .returning('version')
      .executeTakeFirst()
    return added !== undefined
  }
  const changed = await tx
    .updateTable('mail_templates')
    .set({ ...words, version: version + 1 })
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('language', '=', language)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
  return changed !== undefined
}

/** @returns whether there was one */
export async function deleteTemplate(
  tx: Executor,
  { accountId, kind, language }: TemplateKey,
): Promise<boolean> {
  const gone = await tx
    .deleteFrom('mail_templates')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('language', '=', language)
    .returning('version')
    .executeTakeFirst()
  return gone !== undefined
}
