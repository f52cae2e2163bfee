/** How an action names the state that it sets: by id, or by the key of a state of the twin that the rule runs on. */
interface Named {
  stateId?: number | undefined
  stateKey?: string | undefined
}

/** What an execution says of an action whose twin has no such state. */
export const noState = 'the twin has no such state'

/** The field that names the state. */
export function fieldOf({ stateId }: Named): 'stateId' | 'stateKey' {
  return stateId === undefined ? 'stateKey' : 'stateId'
}

/** The state; null: the twin has none with this key. @param ownStates ids of states of the twin by key */
export function targetOf(
  { stateId, stateKey = '' }: Named,
  ownStates: ReadonlyMap<string, number>,
): number | null {
  return stateId ?? ownStates.get(stateKey) ?? null
}

/** The action with another state in place of one that it names by id. */
export function withOtherStates<A extends Named>(action: A, stateIdOf: (id: number) => number): A {
  return action.stateId === undefined ? action : { ...action, stateId: stateIdOf(action.stateId) }
}

/** The action with the id of a state of one twin in place of its key. */
export function withOwnStates<A extends Named>(
  { stateKey, ...action }: A,
  stateIdOf: (key: string) => number,
) {
  return stateKey === undefined ? action : { ...action, stateId: stateIdOf(stateKey) }
}
