import type { StateRef } from './file.ts'

interface FoundState {
  id: number
  key: string
  twinTitle: string
}

type Search = (input: { dtwinId?: number; search?: string }) => Promise<{ items: readonly FoundState[] }>

/** Finds the states a file names: those of this object by key, others by key and title of their twin. */
export function resolveIn(objectId: number, search: Search): (ref: StateRef) => Promise<number | null> {
  return async ({ key, twin }) => {
    const { items } = await search(
      twin === undefined ? { dtwinId: objectId, search: key } : { search: `${twin} ${key}`.slice(0, 200) },
    )
    const found = items.filter(
      (state) => state.key === key && (twin === undefined || state.twinTitle === twin),
    )
    return found.length === 1 && found[0] ? found[0].id : null
  }
}
