import { type AccountFigures, figureAccountsMax, type RuleFigures } from '@leitstand/contract/rules'
import type { Search } from '@leitstand/contract/search'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { matches } from '../../../platform/db/textFilter.ts'
import { viewOf } from '../../objects/index.ts'
import { isVisible, toHome } from './homes.ts'

/** What a rule did. */
export interface Work {
  evaluations: number
  fired: number
  errors: number
  durationUs: number
}

/** Adds to the figures of a day. Rules that were deleted meanwhile are left out. */
export async function addWork(db: Executor, day: string, work: ReadonlyMap<number, Work>): Promise<void> {
  if (work.size === 0) return
  const all = [...work].sort(([one], [other]) => one - other)
  await sql`
    insert into rule_days as d (rule_id, day, evaluations, fired, errors, duration_us)
    select n.rule_id, ${day}::date, n.evaluations, n.fired, n.errors, n.duration_us
    from unnest(${all.map(([id]) => id)}::int[], ${all.map(([, { evaluations }]) => evaluations)}::int[],
      ${all.map(([, { fired }]) => fired)}::int[], ${all.map(([, { errors }]) => errors)}::int[],
      ${all.map(([, { durationUs }]) => durationUs)}::bigint[])
      as n (rule_id, evaluations, fired, errors, duration_us)
    join rules r on r.id = n.rule_id
    on conflict (rule_id, day) do update set evaluations = d.evaluations + excluded.evaluations,
      fired = d.fired + excluded.fired, errors = d.errors + excluded.errors,
      duration_us = d.duration_us + excluded.duration_us`.execute(db)
}

/** Deletes the figures of days before this one. */
export async function deleteOldWork(db: Executor, before: string): Promise<void> {
  await sql`delete from rule_days where day < ${before}::date`.execute(db)
}

type Order = 'title' | 'evaluations' | 'fired' | 'errors' | 'durationMs' | 'meanMs'

export interface FiguresFilter {
  /** first day, in UTC */
  since: string
  search: Search | null
  accountIds?: readonly number[] | undefined
  neverFired?: boolean | undefined
  orderBy: Order | `-${Order}`
  offset: number
  limit: number
}

const orders = {
  title: sql`lower(title)`,
  evaluations: sql`evaluations`,
  fired: sql`fired`,
  errors: sql`errors`,
  durationMs: sql`duration_us`,
  meanMs: sql`duration_us::float8 / nullif(evaluations, 0)`,
} as const satisfies Record<Order, unknown>

interface Row {
  id: number
  title: string
  active: boolean
  twin_id: number | null
  twin_title: string | null
  category: string | null
  template_id: number | null
  template_title: string | null
  account_id: number
  evaluations: number
  fired: number
  errors: number
  duration_us: number
  last_fired_at: Date | null
}

/** Figures of rules of twins in these scopes, with their sums. */
export async function listFigures(
  db: Executor,
  scopeIds: readonly number[],
  filter: FiguresFilter,
): Promise<{
  items: RuleFigures[]
  total: number
  sums: Omit<Work, 'durationUs'> & { durationMs: number }
  accounts: AccountFigures[]
}> {
  const found = sql`
    select r.id, r.title, r.active, t.id as twin_id, t.title as twin_title, t.category, p.id as template_id,
      p.title as template_title, r.account_id, l.last_fired_at,
      coalesce(d.evaluations, 0) as evaluations, coalesce(d.fired, 0) as fired, coalesce(d.errors, 0) as errors,
      coalesce(d.duration_us, 0) as duration_us
    from rules r left join twins t on t.id = r.twin_id
    left join ${viewOf('deviceTemplates')} p on p.id = r.template_id
    cross join lateral (select max(last_fired_at) as last_fired_at from rule_live where rule_id = r.id) l
    left join (
      select rule_id, sum(evaluations)::int as evaluations, sum(fired)::int as fired, sum(errors)::int as errors,
        sum(duration_us)::float8 as duration_us
      from rule_days where day >= ${filter.since}::date group by rule_id
    ) d on d.rule_id = r.id
    where ${isVisible(scopeIds, { rule: 'r', twin: 't' })}
      and ${filter.accountIds ? sql`r.account_id = ${anyOf(filter.accountIds)}` : sql`true`}
      and ${filter.search ? matches([sql`r.search`, sql`t.search`, sql`p.search`], filter.search) : sql`true`}
      and ${filter.neverFired ? sql`r.active and l.last_fired_at is null` : sql`true`}`
  const isDown = filter.orderBy.startsWith('-')
  const order = orders[filter.orderBy.replace('-', '') as Order]
  const { rows } = await sql<Row>`
    select * from (${found}) f order by ${order} ${isDown ? sql`desc nulls last` : sql`asc nulls first`}, id
    offset ${filter.offset} limit ${filter.limit}`.execute(db)
  const grouped = await sql<AccountFigures>`
    select f.account_id as "accountId", a.name as "accountName", count(*)::int as rules,
      sum(evaluations)::float8 as evaluations, sum(fired)::float8 as fired, sum(errors)::float8 as errors,
      sum(duration_us)::float8 / 1000 as "durationMs"
    from (${found}) f join accounts a on a.id = f.account_id
    group by f.account_id, a.name order by "durationMs" desc, f.account_id`.execute(db)
  const of = (key: 'rules' | 'evaluations' | 'fired' | 'errors' | 'durationMs') =>
    grouped.rows.reduce((sum, account) => sum + account[key], 0)
  return {
    items: rows.map(toFigures),
    total: of('rules'),
    sums: {
      evaluations: of('evaluations'),
      fired: of('fired'),
      errors: of('errors'),
      durationMs: of('durationMs'),
    },
    accounts: grouped.rows.slice(0, figureAccountsMax),
  }
}

function toFigures(row: Row): RuleFigures {
  const { evaluations, fired, errors } = row
  const durationMs = row.duration_us / 1000
  const { twinId: dtwinId, ...home } = toHome(row)
  return {
    ruleId: row.id,
    ruleTitle: row.title,
    active: row.active,
    dtwinId,
    ...home,
    accountId: row.account_id,
    evaluations,
    fired,
    errors,
    durationMs,
    meanMs: evaluations === 0 ? null : durationMs / evaluations,
    lastFiredAt: row.last_fired_at?.toISOString() ?? null,
  }
}
