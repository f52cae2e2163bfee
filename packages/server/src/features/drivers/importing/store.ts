import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'

/** Makers and models (small letters, with a line feed between) for which an account has drivers, of those asked for. */
export async function existingModels(
  db: Executor,
  accountId: number,
  models: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ model: string }>`
    select distinct lower(manufacturer || e'\n' || model) as model from drivers
    where account_id = ${accountId} and lower(manufacturer || e'\n' || model) = any(${[...models]}::text[])`.execute(
    db,
  )
  return new Set(rows.map(({ model }) => model))
}
