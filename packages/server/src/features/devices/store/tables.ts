import { sql } from 'kysely'
import { all, type Condition, ints } from '../../twins/index.ts'

/** `twins t`, `virtual_devices d` and `device_live l` hold one row each of a device. */
export type Table = 'twin' | 'device' | 'live'

/** A condition and the tables it refers to. */
export interface Held {
  readonly where: Condition
  readonly of: readonly Table[]
}

/** The requested devices. */
export interface Selection {
  readonly scopeIds: readonly number[]
  readonly accountIds: readonly number[] | undefined
  readonly held: readonly Held[]
}

const tables = {
  twin: { from: sql`twins t`, id: sql`t.id`, scopes: sql`t.scope_id`, accounts: sql`t.account_id` },
  device: {
    from: sql`virtual_devices d`,
    id: sql`d.twin_id`,
    scopes: sql`d.scope_id`,
    accounts: sql`d.account_id`,
  },
  live: {
    from: sql`device_live l`,
    id: sql`l.twin_id`,
    scopes: sql`l.scope_id`,
    accounts: sql`l.account_id`,
  },
} as const

/**
 * A selection as parts of a query: the `from` and `where` clauses and the id column of devices. Every table
 * has scope and account columns, so only the tables that are needed are joined.
 * @param asked the tables the query itself refers to
 */
export function partsOf(selection: Selection, asked: readonly Table[] = []) {
  const needed = new Set<Table>([...asked, ...selection.held.flatMap((each) => each.of)])
  const [first = 'twin', ...others] = (['twin', 'device', 'live'] as const).filter((table) =>
    needed.has(table),
  )
  const { from, id, scopes, accounts } = tables[first]
  const joins = others.map((table) => sql`join ${tables[table].from} on ${tables[table].id} = ${id}`)
  const { scopeIds, accountIds, held } = selection
  return {
    id,
    from: sql`${sql.join([from, ...joins], sql` `)}`,
    where: all([
      ...(first === 'twin' ? [sql<boolean>`t.category = 'virtualDevice'`] : []),
      sql<boolean>`${scopes} = any(${ints(scopeIds)})`,
      ...(accountIds ? [sql<boolean>`${accounts} = any(${ints(accountIds)})`] : []),
      ...held.map(({ where }) => where),
    ]),
  }
}
