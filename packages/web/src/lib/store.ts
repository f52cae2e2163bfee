import { useSyncExternalStore } from 'react'

/** A value outside React that components can follow. */
export interface Store<T> {
  get(): T
  set(next: T | ((current: T) => T)): void
  subscribe(listener: () => void): () => void
}

/** Makes a store; listeners hear only real changes (`Object.is`). */
export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      const resolved = typeof next === 'function' ? (next as (current: T) => T)(value) : next
      if (Object.is(resolved, value)) return
      value = resolved
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The store's value, re-rendering when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get, store.get)
}

/**
 * A store that survives reload in local storage under `leitstand.<name>`.
 * Where storage is closed (private mode) it simply lives as long as the page.
 * @param parse turns what was stored into a valid value, or undefined when it is not one
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
    // Closed storage or a value of an older version: both mean "nothing remembered".
    return undefined
  }
}

function writeStored(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Full or closed storage: the preference lasts for this page only, nothing is lost that matters.
  }
}
