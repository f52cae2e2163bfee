import type { ConsoleSource } from './types.ts'

/** A source without settings. */
export function plain(offered: ConsoleSource['offered']): ConsoleSource {
  return { offered, fields: 'none', settings: () => ({}), faults: () => ({}) }
}
