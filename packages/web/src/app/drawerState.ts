import { createStore, createStoredStore } from '../lib/store.ts'

const asBoolean = (stored: unknown) => (typeof stored === 'boolean' ? stored : undefined)

/** Whether the drawer is narrow (64 px, icons only); remembered in this browser. */
export const drawerMiniStore = createStoredStore('drawerMini', false, asBoolean)

/** Whether the overlay drawer of small screens is open. */
export const drawerOpenStore = createStore(false)

/** Groups that are folded, by key; remembered. */
export const foldedStore = createStoredStore<readonly string[]>('drawerFolded', [], (stored) =>
  Array.isArray(stored) ? stored.filter((each) => typeof each === 'string').slice(0, 50) : undefined,
)
