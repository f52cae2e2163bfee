import type { UserKind } from '@leitstand/contract/objects'
import type { Dependencies as Reply } from '@leitstand/contract/twins'
import type * as z from 'zod'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Users, usersOf } from '../objects/index.ts'
import { listHolders, scopesSeen, twinScopes } from '../rights/index.ts'
import type { Category } from './policy.ts'
import { hasChildren, hasForeignAggregates } from './store/dependencies.ts'

/** Maximum number of listed dependencies. */
const dependenciesMax = 100

type Dependencies = z.infer<typeof Reply>
type Item = Dependencies['items'][number]

const firstPage = { offset: 0, limit: dependenciesMax }

/**
 * Dependencies of a twin or device: children, states elsewhere that are computed from its states, and roles on
 * its own scope (these block deletion), and rules of other twins and dashboards that use it (they lose their
 * source).
 *
 * Blocking ones count even if they are not visible to the caller; their titles are then omitted.
 */
export async function dependenciesOf(
  db: Executor,
  caller: Caller,
  twin: { kind: Category; id: number },
): Promise<Dependencies> {
  const found = await usersOf(db, caller, twin, firstPage)
  const holders = await holdersOf(db, caller, twin.id)
  const blocking =
    holders.total > 0 || (await hasChildren(db, twin.id)) || (await hasForeignAggregates(db, twin.id))
  const items = [...holders.items, ...toItems(found)].slice(0, dependenciesMax)
  const isCut =
    holders.total > holders.items.length || holders.items.length + countOf(found) > dependenciesMax
  return {
    blocking,
    items: items.map((item) => ({ ...item, blocking: blocks(item) })),
    more: found.hidden || isCut,
  }
}

/** Whether roles are given on the own scope of a twin. They would be lost with it. */
export async function hasRoles(db: Executor, twinId: number): Promise<boolean> {
  const scope = await twinScopes.find(db, twinId)
  return scope !== undefined && (await listHolders(db, scope.id, 1)).total > 0
}

const holderKinds = { user: 'scopeUser', apiKey: 'scopeKey', signOn: 'scopeSignOn' } as const

/** Who gets roles on the own scope of a twin; names only for callers who see users there. */
async function holdersOf(
  db: Executor,
  caller: Caller,
  twinId: number,
): Promise<{ items: Item[]; total: number }> {
  const scope = await twinScopes.find(db, twinId)
  if (!scope) return { items: [], total: 0 }
  const { items, total } = await listHolders(db, scope.id, dependenciesMax)
  if (!scopesSeen(caller).includes(scope.id)) return { items: [], total }
  return {
    items: items.map(({ kind, id, title, accountId }) => ({
      kind: holderKinds[kind],
      id,
      title,
      blocking: true,
      owner: { kind: 'account', id: accountId },
    })),
    total,
  }
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

function hasMore(found: Users): boolean {
  return found.hidden || countOf(found) > dependenciesMax
}

function countOf({ groups }: Users): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}

const names = {
  digitalTwin: 'twin',
  virtualDevice: 'virtualDevice',
  state: 'aggregate',
  rule: 'rule',
  dashboard: 'dashboard',
} as const

const isNamed = (kind: UserKind): kind is keyof typeof names => Object.hasOwn(names, kind)

function toItems({ items }: Users): Item[] {
  return items.flatMap(({ kind, id, title, owner }) =>
    // The operations of the specification do not support templates; the others use no twins.
    !isNamed(kind)
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
