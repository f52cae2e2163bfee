import { type Atom, createAtom, useSelector } from '@tanstack/react-store'

/** A value outside React that components can subscribe to. Listeners are only called on real changes. */
export type Store<T> = Atom<T>

export function createStore<T>(initial: T): Store<T> {
  return createAtom(initial)
}

/** The store's value; re-renders when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSelector(store)
}

/**
 * A store persisted in local storage under `leitstand.<name>`. If storage is unavailable (private mode), it
 * lasts as long as the page.
 * @param parse returns the stored value if it is valid, else undefined
 */
export function createStoredStore<T>(
  name: string,
  initial: T,
  parse: (stored: unknown) => T | undefined,
): Store<T> {
  const key = `leitstand.${name}`
  const store = createStore(readStored(key, parse) ?? initial)
  store.subscribe(() => writeStored(key, store.get()))
  return store
}

function readStored<T>(key: string, parse: (stored: unknown) => T | undefined): T | undefined {
  try {
    const text = localStorage.getItem(key)
    return text === null ? undefined : parse(JSON.parse(text))
  } catch {
    // Storage is unavailable, or the value is from an older version: treat it as not stored.
    return undefined
  }
}

function writeStored(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Storage is full or unavailable: the preference lasts for this page only.
  }
}
