import type { Dependencies as Reply } from '@leitstand/contract/twins'
import type * as z from 'zod'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Users, usersOf } from '../objects/index.ts'
import type { Category } from './policy.ts'
import { hasChildren, hasForeignAggregates } from './store/dependencies.ts'

/** Maximum number of listed dependencies. */
const dependenciesMax = 100

type Dependencies = z.infer<typeof Reply>
type Item = Dependencies['items'][number]

const firstPage = { offset: 0, limit: dependenciesMax }

/**
 * Dependencies of a twin or device: children and states elsewhere that are computed from its states (both
 * block deletion), and rules of other twins and dashboards that use it (they lose their source).
 *
 * Blocking ones count even if they are not visible to the caller; their titles are then omitted.
 */
export async function dependenciesOf(
  db: Executor,
  caller: Caller,
  twin: { kind: Category; id: number },
): Promise<Dependencies> {
  const found = await usersOf(db, caller, twin, firstPage)
  const blocking = (await hasChildren(db, twin.id)) || (await hasForeignAggregates(db, twin.id))
  const items = toItems(found)
  return { blocking, items: items.map((item) => ({ ...item, blocking: blocks(item) })), more: hasMore(found) }
}

/** The uses of these states visible to the caller: states computed from them, rules, dashboards. */
export async function loadStateUses(
  db: Executor,
  caller: Caller,
  stateIds: readonly number[],
): Promise<Omit<Dependencies, 'blocking'>> {
  if (stateIds.length === 0) return { items: [], more: false }
  const found = await usersOf(db, caller, { used: 'state', ids: stateIds }, firstPage)
  return { items: toItems(found), more: hasMore(found) }
}

function blocks({ kind }: Item): boolean {
  return kind !== 'rule' && kind !== 'dashboard'
}

function hasMore({ groups, hidden }: Users): boolean {
  return hidden || groups.reduce((sum, { count }) => sum + count, 0) > dependenciesMax
}

const names = {
  digitalTwin: 'twin',
  virtualDevice: 'virtualDevice',
  state: 'aggregate',
  rule: 'rule',
  dashboard: 'dashboard',
} as const

function toItems({ items }: Users): Item[] {
  return items.flatMap(({ kind, id, title, owner }) =>
    // The operations of the specification do not support templates.
    kind === 'deviceTemplate'
      ? []
      : [
          {
            kind: names[kind],
            id,
            title,
            blocking: false,
            owner: owner && { kind: names[owner.kind], id: owner.id },
          },
        ],
  )
}
