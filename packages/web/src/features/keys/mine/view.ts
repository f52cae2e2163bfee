import type { Activation, MyDoor, RefusalReason } from '@leitstand/contract/keys'

/** What the last press of a button has led to, on this page. */
export type Press =
  /** the code or the position is being asked for, or the request is on its way */
  | { kind: 'sending' }
  /** the server has it */
  | { kind: 'activated'; activation: Activation }
  | { kind: 'refused'; reason: RefusalReason; seconds?: number; metres?: number }
  /** the position could not be found */
  | { kind: 'noPosition' }
  /** the answer of the server was lost: it is not known whether it has the request */
  | { kind: 'lost' }
  | { kind: 'error'; text: string }

/** What a button shows. */
export type DoorState =
  | 'ready'
  | 'sending'
  | 'requested'
  | 'opened'
  | 'sent'
  | 'failed'
  | 'noAnswer'
  | 'refused'
  | 'throttled'
  | 'notYet'
  | 'hours'
  | 'offline'
  | 'noPosition'
  | 'lost'
  | 'error'

/** The state of a door's button. */
export function stateOf(door: Pick<MyDoor, 'closed'>, press: Press | undefined, online: boolean): DoorState {
  if (press?.kind === 'sending') return 'sending'
  if (press?.kind === 'activated') return press.activation.result ?? 'requested'
  if (!online) return 'offline'
  if (press?.kind === 'refused') return press.reason === 'throttled' ? 'throttled' : 'refused'
  if (press !== undefined) return press.kind
  if (door.closed === 'notYet' || door.closed === 'hours') return door.closed
  return 'ready'
}

/** The doors with the favourites in front; each part stays in its order. */
export function inOrder<Door extends Pick<MyDoor, 'lockId'>>(
  doors: readonly Door[],
  favorites: readonly number[],
): Door[] {
  const isMarked = ({ lockId }: Door) => favorites.includes(lockId)
  return [...doors.filter(isMarked), ...doors.filter((door) => !isMarked(door))]
}

/** Whether the button can be pressed: not while something is under way, and not where the server would refuse it anyway. */
export function isPressable(state: DoorState): boolean {
  return !['sending', 'requested', 'throttled', 'notYet', 'hours', 'offline'].includes(state)
}
