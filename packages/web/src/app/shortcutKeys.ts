import { sequences } from './shortcutState.ts'

/** Time between the two keys of a sequence like `g d`. */
const sequenceMs = 1200

/** No sequence has been started. */
export const notStarted = Number.NEGATIVE_INFINITY

type Act = 'help' | 'search' | { to: string }

/**
 * What a key does that was pressed outside of fields.
 * @param startedAtMs when `g` was pressed as the key before
 */
export function pressed(key: string, atMs: number, startedAtMs: number): { act?: Act; startedAtMs: number } {
  if (key === '?') return { act: 'help', startedAtMs }
  if (key === '/') return { act: 'search', startedAtMs }
  if (key === 'g') return { startedAtMs: atMs }
  const sequence = sequences.find((each) => each.key === key)
  const isInTime = atMs - startedAtMs < sequenceMs
  return { ...(sequence && isInTime ? { act: { to: sequence.to } } : {}), startedAtMs: notStarted }
}
