import { createStore } from '../lib/store.ts'

/** Counts the calls for the command palette; its code is fetched with the first one. */
export const paletteStore = createStore(0)

/** Opens the command palette. */
export function openPalette(): void {
  paletteStore.set((calls) => calls + 1)
}
