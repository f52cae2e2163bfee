import { moduleKeys } from '@leitstand/contract/permissions'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import type { ScopeNode } from '../rights.ts'

/** The scopes of accounts. */
export const accountScopes = {
  add: async (
    tx: Executor,
    scope: { accountId: number; parentId: number | null; name: string },
  ): Promise<number> => {
    const { id } = await tx
      .insertInto('scopes')
      .values({ parent_id: scope.parentId, account_id: scope.accountId, name: scope.name })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },
  rename: async (tx: Executor, accountId: number, name: string): Promise<void> => {
    await tx
      .updateTable('scopes')
      .set({ name })
      .where('account_id', '=', accountId)
      .where('twin_id', 'is', null)
      .execute()
  },
  move: moveScope,
}

/** The scopes that twins have of their own. */
export const twinScopes = {
  find: async (
    db: Executor,
    twinId: number,
  ): Promise<{ id: number; parentId: number; name: string } | undefined> => {
    const row = await db
      .selectFrom('scopes')
      .select(['id', 'parent_id', 'name'])
      .where('twin_id', '=', twinId)
      .executeTakeFirst()
    // Only the scope of the topmost account has none above it.
    return row && { id: row.id, parentId: row.parent_id ?? 0, name: row.name }
  },
  add: async (
    tx: Executor,
    scope: { accountId: number; parentId: number; twinId: number; name: string },
  ): Promise<number> => {
    const { id } = await tx
      .insertInto('scopes')
      .values({
        parent_id: scope.parentId,
        account_id: scope.accountId,
        twin_id: scope.twinId,
        name: scope.name,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },
  rename: async (tx: Executor, twinId: number, name: string): Promise<void> => {
    await tx.updateTable('scopes').set({ name }).where('twin_id', '=', twinId).execute()
  },
  /** Keeps others from giving roles on the scope, or placing anything in it, until the end of the transaction. */
  lock: async (tx: Executor, id: number): Promise<void> => {
    await tx.selectFrom('scopes').select('id').where('id', '=', id).forUpdate().execute()
  },
  /** Deletes a scope in which nothing is left; those below it move up. */
  remove: async (tx: Executor, { id, parentId }: { id: number; parentId: number }): Promise<void> => {
    await tx.updateTable('scopes').set({ parent_id: parentId }).where('parent_id', '=', id).execute()
    await tx.deleteFrom('scopes').where('id', '=', id).execute()
  },
}

/** The scope of an account itself. */
export async function readAccountScope(db: Executor, accountId: number): Promise<number> {
  const { id } = await db
    .selectFrom('scopes')
    .select('id')
    .where('account_id', '=', accountId)
    .where('twin_id', 'is', null)
    .executeTakeFirstOrThrow()
  return id
}

/** Moves a scope and its subtree below another scope. */
export async function moveScope(tx: Executor, id: number, parentId: number): Promise<void> {
  await tx.updateTable('scopes').set({ parent_id: parentId }).where('id', '=', id).execute()
}

/** Moves the scopes of these twins that are direct children of one scope below another. */
export async function moveTwinScopes(
  tx: Executor,
  twinIds: readonly number[],
  { from, to }: { from: number; to: number },
): Promise<void> {
  await sql`
    update scopes set parent_id = ${to} where parent_id = ${from} and twin_id = ${anyOf(twinIds)}`.execute(tx)
}

/** Scopes and what decides which modules are off in them. */
export interface Reach {
  /** parents before children */
  scopes: ScopeNode[]
  /** accounts above those of the scopes, without these */
  accountsAbove: readonly number[]
}

/**
 * The subtrees of some scopes, including the scopes themselves, parents before children, with modules that
 * are off.
 */
export async function readScopeTree(db: Executor, roots: readonly number[]): Promise<ScopeNode[]> {
  return (await readReach(db, roots)).scopes
}

/** The same with the accounts whose modules count in them, all as of one moment. */
export async function readReach(db: Executor, roots: readonly number[]): Promise<Reach> {
  if (roots.length === 0) return { scopes: [], accountsAbove: [] }
  const { rows } = await sql<
    Omit<ScopeNode, 'modulesOff'> & { modulesOff: string[] | null; accountsAbove: number[] | null }
  >`
    /* prepared: rights.reach */
    with recursive tree as (
      select id, parent_id, account_id, twin_id, name, 0 as depth from scopes where id = any(${[...roots]}::int[])
      union all
      select s.id, s.parent_id, s.account_id, s.twin_id, s.name, depth + 1
      from scopes s join tree on s.parent_id = tree.id),
    line (account_id) as (
      select account_id from tree
      union
      select a.parent_id from accounts a join line on a.id = line.account_id where a.parent_id is not null),
    off (account_id, module) as (
      select account_id, module from account_modules where not enabled
      union
      select a.id, off.module from accounts a join off on a.parent_id = off.account_id),
    masked as (select account_id, array_agg(module order by module) as modules from off group by account_id)
    -- A root that lies below another one is reached twice; its deeper place keeps parents before children.
    select id, parent_id as "parentId", tree.account_id as "accountId", twin_id as "twinId", name,
      masked.modules as "modulesOff",
      case when row_number() over (order by max(depth), id) = 1 then (
        select array_agg(account_id) from line where account_id not in (select account_id from tree)) end as "accountsAbove"
    from tree left join masked on masked.account_id = tree.account_id
    group by id, parent_id, tree.account_id, twin_id, name, masked.modules order by max(depth), id`.execute(
    db,
  )
  const accountsAbove = rows[0]?.accountsAbove ?? []
  return { scopes: rows.map(({ accountsAbove: _above, ...scope }) => withModules(scope)), accountsAbove }
}

/**
 * Scopes directly below one, by name, among those in `visible`; without a parent those at the top of `visible`.
 * @returns one page, and how many there are
 */
export async function listScopesBelow(
  db: Executor,
  { parentId, visible }: { parentId: number | null; visible: readonly number[] },
  { offset, limit }: { offset: number; limit: number },
): Promise<{
  items: { id: number; accountId: number; twinId: number | null; name: string; hasChildren: boolean }[]
  total: number
}> {
  const seen = sql`${[...visible]}::int[]`
  const condition =
    parentId === null
      ? sql`(s.parent_id is null or not (s.parent_id = any(${seen})))`
      : sql`s.parent_id = ${parentId}`
  const from = sql`from scopes s where s.id = any(${seen}) and ${condition}`
  const { rows } = await sql<{
    id: number
    accountId: number
    twinId: number | null
    name: string
    hasChildren: boolean
  }>`
    select s.id, s.account_id as "accountId", s.twin_id as "twinId", s.name,
      exists (select from scopes c where c.parent_id = s.id and c.id = any(${seen})) as "hasChildren"
    ${from} order by s.twin_id is not null, lower(s.name), s.id offset ${offset} limit ${limit}`.execute(db)
  const counted = await sql<{ total: number }>`select count(*)::int as total ${from}`.execute(db)
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

/** Modules unknown to this version, after a downgrade, mask nothing. */
export function withModules<T extends { modulesOff: string[] | null }>({ modulesOff, ...scope }: T) {
  if (modulesOff === null) return scope
  return { ...scope, modulesOff: moduleKeys.filter((key) => modulesOff.includes(key)) }
}

/** The scope of an account itself. */
export async function findOwnScope(db: Executor, accountId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('scopes')
    .select('id')
    .where('account_id', '=', accountId)
    .where('twin_id', 'is', null)
    .executeTakeFirst()
  return row?.id
}

/**
 * Scopes by id, with the account they belong to. Until the end of the transaction they cannot be deleted, so
 * that roles can be given on them.
 */
export async function readScopes(tx: Executor, ids: readonly number[]) {
  return tx
    .selectFrom('scopes')
    .select(['id', 'account_id as accountId', 'name'])
    .where('id', '=', anyOf(ids))
    .orderBy('id')
    .forKeyShare()
    .execute()
}

/**
 * The scopes from one up to the root, including itself, with the modules that are off in the account of each.
 */
export async function readScopesAbove(db: Executor, id: number) {
  const { rows } = await sql<{
    id: number
    parentId: number | null
    accountId: number
    twinId: number | null
    name: string
    modulesOff: string[] | null
  }>`
    with recursive up as (
      select * from scopes where id = ${id}
      union all
      select s.* from scopes s join up on s.id = up.parent_id),
    line (scope_id, account_id) as (
      select id, account_id from up
      union
      select line.scope_id, a.parent_id from accounts a join line on a.id = line.account_id
      where a.parent_id is not null)
    select id, parent_id as "parentId", account_id as "accountId", twin_id as "twinId", name,
      (select array_agg(distinct m.module) from line join account_modules m on m.account_id = line.account_id
        where line.scope_id = up.id and not m.enabled) as "modulesOff"
    from up`.execute(db)
  return rows.map(withModules)
}
