import { createStore } from '../lib/store.ts'

/** What the command palette needs before its code is loaded: it may be typed into from the first moment. */
export interface PaletteState {
  readonly opened: boolean
  readonly query: string
  /** Enter was pressed and waits for the results of this query. */
  readonly entered: boolean
}

const closed: PaletteState = { opened: false, query: '', entered: false }

export const paletteStore = createStore(closed)

/** Opens the command palette, and keeps every letter typed from now on for its field. */
export function openPalette(): void {
  if (paletteStore.get().opened) return
  paletteStore.set({ ...closed, opened: true })
  window.addEventListener('keydown', keepKey, { capture: true })
  window.addEventListener('pointerdown', stopKeeping, { capture: true })
}

export function closePalette(): void {
  stopKeeping()
  paletteStore.set(closed)
}

/** From now on the field receives what is typed. */
export function stopKeeping(): void {
  window.removeEventListener('keydown', keepKey, { capture: true })
  window.removeEventListener('pointerdown', stopKeeping, { capture: true })
}

export function typeIntoPalette(query: string): void {
  paletteStore.set((state) => ({ ...state, query, entered: false }))
}

/** Whether Enter waits for the results. */
export function setEntered(entered: boolean): void {
  paletteStore.set((state) => ({ ...state, entered }))
}

function keepKey(event: KeyboardEvent): void {
  const { key } = event
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  const { query } = paletteStore.get()
  if (key === 'Escape') closePalette()
  else if (key === 'Enter') setEntered(true)
  else if (key === 'Backspace') typeIntoPalette(query.slice(0, -1))
  else if ([...key].length === 1) typeIntoPalette(query + key)
  else return
  event.preventDefault()
  event.stopPropagation()
}
