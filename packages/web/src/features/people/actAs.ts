import type { Session } from '../../lib/session.ts'

export interface Suitable {
  id: number
  active: boolean
  editable: boolean
  access: readonly unknown[]
}

/** Whether the server would let a user with the permission act as this one, or look through their eyes. */
export function mayActAs(user: Suitable, session: Session): boolean {
  const isSelf = session.status === 'user' && session.user.id === user.id
  const isFree = session.status === 'user' && session.impersonator === null
  return isFree && !isSelf && user.active && user.editable && user.access.length > 0
}
