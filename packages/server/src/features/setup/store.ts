import { type Demo, type SetupStep, setupLimits, setupSteps } from '@leitstand/contract/setup'
import { sql } from 'kysely'
import { accountsBelow } from '../../platform/db/accountTree.ts'
import type { Executor } from '../../platform/db/index.ts'

/** What was decided in the guide. */
export interface Decisions {
  skipped: SetupStep[]
  isPutAway: boolean
  demoAccountId: number | null
  demoRemovedAt: Date | null
  demoJobId: number | null
}

/** @param options.lock for a change in the same transaction */
export async function readDecisions(db: Executor, options: { lock?: boolean } = {}): Promise<Decisions> {
  const row = await db
    .selectFrom('installation_setup')
    .select([
      'skipped',
      'put_away as isPutAway',
      'demo_account_id as demoAccountId',
      'demo_removed_at as demoRemovedAt',
      'demo_job_id as demoJobId',
    ])
    .$if(options.lock === true, (query) => query.forUpdate())
    .executeTakeFirst()
  if (!row)
    return { skipped: [], isPutAway: false, demoAccountId: null, demoRemovedAt: null, demoJobId: null }
  return { ...row, skipped: setupSteps.filter((step) => row.skipped.includes(step)) }
}

/** Sets some of the decisions; the others stay as they are. */
export async function storeDecisions(tx: Executor, change: Partial<Decisions>): Promise<void> {
  const values = {
    ...(change.skipped === undefined ? {} : { skipped: change.skipped }),
    ...(change.isPutAway === undefined ? {} : { put_away: change.isPutAway }),
    ...(change.demoAccountId === undefined ? {} : { demo_account_id: change.demoAccountId }),
    ...(change.demoRemovedAt === undefined ? {} : { demo_removed_at: change.demoRemovedAt }),
    ...(change.demoJobId === undefined ? {} : { demo_job_id: change.demoJobId }),
  }
  await tx
    .insertInto('installation_setup')
    .values({ id: true, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ id: true, ...values }))
    .execute()
}

/** The topmost account. */
export async function readTopmost(db: Executor): Promise<{ id: number; scopeId: number }> {
  return db
    .selectFrom('accounts as a')
    .innerJoin('scopes as s', (join) => join.onRef('s.account_id', '=', 'a.id').on('s.twin_id', 'is', null))
    .select(['a.id', 's.id as scopeId'])
    .where('a.parent_id', 'is', null)
    .executeTakeFirstOrThrow()
}

/** Whether there are other accounts than the topmost one, and connectors, that are not of the demo city. */
export async function readOwn(
  db: Executor,
  demoAccountId: number | null,
): Promise<{ hasAccount: boolean; hasConnector: boolean }> {
  const ofDemo = sql`(select id from ${accountsBelow(demoAccountId)} as below)`
  const { rows } = await sql<{ hasAccount: boolean; hasConnector: boolean }>`
    select exists (select from accounts where parent_id is not null and id not in ${ofDemo}) as "hasAccount",
      exists (select from connectors where account_id not in ${ofDemo}) as "hasConnector"`.execute(db)
  return rows[0] ?? { hasAccount: false, hasConnector: false }
}

/** Whether an account is directly below the topmost one. */
export async function isSecondLevel(db: Executor, accountId: number): Promise<boolean> {
  const row = await db
    .selectFrom('accounts as a')
    .innerJoin('accounts as p', 'p.id', 'a.parent_id')
    .select('a.id')
    .where('a.id', '=', accountId)
    .where('p.parent_id', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** What is in an account and below; undefined: there is no such account. */
export async function readContents(
  db: Executor,
  accountId: number,
): Promise<Pick<Demo, 'name' | 'contents'> | undefined> {
  const { rows } = await sql<{ name: string } & Demo['contents']>`
    with below as materialized (select id from ${accountsBelow(accountId)} as b),
      inside as (select id, category from twins where account_id in (select id from below))
    select a.name, (select count(*) from below)::int as accounts,
      (select count(*) from users where account_id in (select id from below))::int as users,
      (select count(*) from inside where category = 'virtualDevice')::int as "virtualDevices",
      (select count(*) from inside where category = 'digitalTwin')::int as twins,
      (select count(*) from rules where twin_id in (select id from inside))::int as rules,
      (select count(*) from connectors where account_id in (select id from below))::int as connectors,
      (select count(*) from dashboards where account_id in (select id from below))::int as dashboards
    from accounts a where a.id = ${accountId}`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { name, ...contents } = row
  return { name, contents }
}

/** What is outside of an account, or has roles there, and keeps something in it from being deleted. */
export async function readBlockers(db: Executor, accountId: number): Promise<Demo['blockers']> {
  const { rows } = await sql<Demo['blockers'][number]>`
    with below as materialized (select id from ${accountsBelow(accountId)} as b)
    (select distinct 'state' as kind, s.id, t.title || ' · ' || s.title as title
      from state_links l
      join states source on source.id = l.source_state_id
      join twins inside on inside.id = source.twin_id and inside.account_id in (select id from below)
      join states s on s.id = l.state_id
      join twins t on t.id = s.twin_id and t.account_id not in (select id from below)
      order by title limit ${setupLimits.blockersMax})
    union all
    (select 'device', t.id, t.title
      from connectors c
      join virtual_devices v on v.connector_id = c.id
      join twins t on t.id = v.twin_id and t.account_id not in (select id from below)
      where c.account_id in (select id from below)
      order by t.title limit ${setupLimits.blockersMax})
    union all
    (select distinct 'user', u.id, u.username
      from users u
      join user_access a on a.user_id = u.id
      join scopes s on s.id = a.scope_id and s.account_id not in (select id from below)
      where u.account_id in (select id from below)
      order by u.username limit ${setupLimits.blockersMax})
    union all
    (select distinct 'driver', d.id, d.title
      from drivers d
      join virtual_devices v on v.driver_id = d.id
      join twins t on t.id = v.twin_id and t.account_id not in (select id from below)
      where d.account_id in (select id from below)
      order by d.title limit ${setupLimits.blockersMax})
    limit ${setupLimits.blockersMax}`.execute(db)
  return rows
}

/** All scopes in an account and below, and that of the account above it. */
export async function readScopes(db: Executor, accountId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.id from scopes s where s.account_id in (select id from ${accountsBelow(accountId)} as below)
      or s.twin_id is null and s.account_id = (select parent_id from accounts where id = ${accountId})`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** States in an account and below that are computed from others. */
export async function listComputed(db: Executor, accountId: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct s.id from states s
    join twins t on t.id = s.twin_id and t.account_id in (select id from ${accountsBelow(accountId)} as below)
    join state_links l on l.state_id = s.id
    where not exists (
      select from state_links used join states other on other.id = used.state_id
      where used.source_state_id = s.id and other.id <> s.id)
    order by s.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Devices, or twins without anything below them, in an account and below. */
export async function listLeaves(
  db: Executor,
  accountId: number,
  category: 'virtualDevice' | 'digitalTwin',
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select t.id from twins t
    where t.account_id in (select id from ${accountsBelow(accountId)} as below) and t.category = ${category}
      and not exists (select from twins child where child.parent_id = t.id)
    order by t.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

export async function listConnectors(db: Executor, accountId: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from connectors where account_id in (select id from ${accountsBelow(accountId)} as below)
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Accounts that have none below them, in an account and below. */
export async function listLastAccounts(db: Executor, accountId: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select a.id from accounts a where a.id in (select id from ${accountsBelow(accountId)} as below)
      and not exists (select from accounts child where child.parent_id = a.id)
    order by a.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}
