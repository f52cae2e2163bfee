import { type ObjectUser, type UserKind, userKinds } from '@leitstand/contract/objects'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Kind, ObjectKind, UsedKind } from './kinds.ts'
import { kindOf, kinds } from './registry.ts'

/** Users of each kind that are counted and can be paged through; beyond it the result only sets `more`. */
const usersMax = 2000

/** The subject of the query: an object with its parts, or single objects. */
export type Asked = { kind: ObjectKind; id: number } | { used: UsedKind; ids: readonly number[] }

export interface Page {
  /** only users of this kind */
  userKind?: UserKind | undefined
  offset: number
  limit: number
}

export interface Users {
  items: ObjectUser[]
  /** how many of each kind the caller may see, in the order of `userKinds` */
  groups: { kind: UserKind; count: number; more: boolean }[]
  /** there are users the caller may not see */
  hidden: boolean
}

/** The users of objects that the caller may see, by kind, then by title. */
export async function usersOf(db: Executor, caller: Caller, asked: Asked, page: Page): Promise<Users> {
  const sources = sourcesOf(caller, asked)
  if (sources.length === 0) return { items: [], groups: [], hidden: false }
  const found = sql`with rows as (${sql.join(sources.map(visibleRows), sql` union all `)}), found as materialized (
    select kind, id, title, owner_kind, owner_id, array_agg(distinct note order by note) as notes, min(place) as place
    from rows group by kind, id, title, owner_kind, owner_id)`
  const wanted = page.userKind ? sql`kind = ${page.userKind}` : sql`true`
  const read = sql<Pick<Users, 'groups' | 'items'>>`
    ${found}, grouped as (
      select kind, count(*)::int as count, min(place) as place from found group by kind),
    listed as (
      select kind, id, title, notes, owner_kind, owner_id, place from found where ${wanted}
      order by place, title collate natural_order, id limit ${page.limit} offset ${page.offset})
    select
      (select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'count', count) order by place), '[]') from grouped)
        as groups,
      (select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'id', id, 'title', title, 'notes', notes,
          'owner', case when owner_id is not null then jsonb_build_object('kind', owner_kind, 'id', owner_id) end)
        order by place, title collate natural_order, id), '[]') from listed) as items`.execute(db)
  const unseen = sql<{ hidden: boolean }>`
    select ${sql.join(sources.map(hasHidden), sql` or `)} as hidden`.execute(db)
  const [shown, hidden] = await Promise.all([read, unseen])
  const { items = [], groups = [] } = shown.rows[0] ?? {}
  return {
    items,
    groups: groups.map(({ kind, count }) => ({
      kind,
      count: Math.min(count, usersMax),
      more: count > usersMax,
    })),
    hidden: hidden.rows[0]?.hidden ?? false,
  }
}

/** @throws AppError the kind's not-found error when the caller may not open the object */
export async function requireThing(
  db: Executor,
  caller: Caller,
  kind: ObjectKind,
  id: number,
): Promise<void> {
  const { things, used } = kindOf(kind)
  if (!things || !used) throw new Error(`nothing uses a ${kind}`)
  const { rows } = await sql`select from (${things(caller)}) as t where t.id = ${id} and t.visible`.execute(
    db,
  )
  if (rows.length === 0) throw new AppError(used.notFound, { id })
}

/** Users of one kind: `from` joins `u` (user_id, note) with `t` (the object), including its condition. */
interface Source {
  from: RawBuilder<unknown>
  shownAs: UserKind
  shownId: RawBuilder<unknown>
  place: number
}

function sourcesOf(caller: Caller, asked: Asked): Source[] {
  const targets = targetsOf(asked)
  return kinds().flatMap(([name, kind]) =>
    targets.flatMap((target) =>
      rowsOf(name, kind, target).map((rows) => toSource(caller, kind, rows, asked)),
    ),
  )
}

/** Ids of a kind: `is` compares a column with them. */
interface Target {
  kind: UsedKind
  is: (column: RawBuilder<unknown>) => RawBuilder<boolean>
  /** the object itself, not a part of it */
  direct: boolean
}

function targetsOf(asked: Asked): Target[] {
  if ('used' in asked) {
    const ids = sql`any(${[...asked.ids]}::int[])`
    return [{ kind: asked.used, is: (column) => sql<boolean>`${column} = ${ids}`, direct: true }]
  }
  const { kind, id } = asked
  const { used } = kindOf(kind)
  if (!used) throw new Error(`nothing uses a ${kind}`)
  const itself: Target = { kind: used.as, is: (column) => sql<boolean>`${column} = ${id}`, direct: true }
  const { parts } = used
  if (!parts) return [itself]
  const is = (column: RawBuilder<unknown>) => sql<boolean>`${column} in (${parts.ids(id)})`
  return [itself, { kind: parts.kind, is, direct: false }]
}

/** Users of one kind, as selects of (user_id, note). */
function rowsOf(
  name: ObjectKind,
  { references = [], definitions }: Kind,
  target: Target,
): RawBuilder<unknown>[] {
  const fitting = references.filter(({ used, direct }) => used === target.kind && (target.direct || !direct))
  const answered = fitting.map(
    ({ rows, note }) =>
      sql`select r.user_id, ${note}::text as note from (${rows}) as r where ${target.is(sql`r.used_id`)}`,
  )
  if (!definitions) return answered
  const recorded = sql`select user_id, note from uses
    where user_kind = ${name} and used_kind = ${target.kind} and ${target.is(sql`used_id`)}`
  return [...answered, recorded]
}

function toSource(
  caller: Caller,
  { table, things, shownAs, isPart }: Kind,
  rows: RawBuilder<unknown>,
  asked: Asked,
): Source {
  if (!things || !shownAs) throw new Error(`${table} cannot be shown as users`)
  // Objects a twin owns do not count as its users.
  const isOther =
    'kind' in asked && kindOf(asked.kind).used?.parts
      ? sql`t.owner_id is distinct from ${asked.id}::int`
      : sql`true`
  return {
    from: sql`(${rows}) as u join (${things(caller)}) as t on t.id = u.user_id where ${isOther}`,
    shownAs,
    shownId: isPart ? sql`t.shown_id` : sql`t.id`,
    place: userKinds.indexOf(shownAs),
  }
}

function visibleRows({ from, shownAs, shownId, place }: Source): RawBuilder<unknown> {
  return sql`(select ${shownAs}::text as kind, ${shownId} as id, t.title, t.owner_kind, t.owner_id, u.note,
      ${sql.lit(place)} as place
    from ${from} and t.visible order by u.user_id limit ${usersMax + 1})`
}

function hasHidden({ from }: Source): RawBuilder<unknown> {
  return sql`exists (select from ${from} and not t.visible)`
}
