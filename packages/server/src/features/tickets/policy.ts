import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'

/** Where a caller may do what with tickets, as scopes of twins. */
export interface TicketSight {
  userId: number | null
  /** tickets of others are seen */
  read: readonly number[]
  manage: readonly number[]
  /** something can be reported, and what the caller has reported is seen */
  create: readonly number[]
  /** the names of users are seen */
  users: readonly number[]
}

/** A `manage` right includes the others. */
export function sightOf(caller: Pick<Caller, 'userId' | 'scopeIds'>): TicketSight {
  const manage = caller.scopeIds('IsFmTicket', 'manage')
  const withManage = (action: 'read' | 'create') => [
    ...new Set([...caller.scopeIds('IsFmTicket', action), ...manage]),
  ]
  const users = [
    ...new Set([
      ...caller.scopeIds('UserManagement', 'read'),
      ...caller.scopeIds('UserManagement', 'manage'),
    ]),
  ]
  return { userId: caller.userId, read: withManage('read'), manage, create: withManage('create'), users }
}

/** Scopes whose twins can be named to the caller. */
export const namedScopes = ({ read, create }: TicketSight): number[] => [...new Set([...read, ...create])]

/** Whether a ticket `t` of the twin `w` may be seen. */
export const isVisible = ({
  userId,
  read,
  create,
}: TicketSight) => sql<boolean>`(w.scope_id = ${anyOf([...read])}
  or (t.reported_by = ${userId} and w.scope_id = ${anyOf([...create])}))`
