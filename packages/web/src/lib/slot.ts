/**
 * A place in a screen that later features add parts to. The feature of the screen creates it, later ones export the
 * parts, and `app/slots.ts` fills it before the screen is shown.
 */
export interface Slot<Part> {
  readonly parts: readonly Part[]
  fill(parts: readonly Part[]): void
}

/** @param name as exported, for the error if `app/slots.ts` does not fill it */
export function createSlot<Part>(name: string): Slot<Part> {
  let filled: readonly Part[] | undefined
  return {
    get parts() {
      if (!filled) throw new Error(`The slot ${name} has no line in app/slots.ts`)
      return filled
    },
    fill(parts) {
      filled = parts
    },
  }
}
