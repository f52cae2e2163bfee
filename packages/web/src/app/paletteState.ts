import { createStore } from '../lib/store.ts'

/** Counts how often the command palette was opened; its code is loaded the first time. */
export const paletteStore = createStore(0)

/** Opens the command palette. */
export function openPalette(): void {
  paletteStore.set((calls) => calls + 1)
}
