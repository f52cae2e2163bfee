import type { MarkedState } from '@leitstand/contract/mapSettings'

/**
 * States to choose from, by key. Chosen keys that are not among them are added: their states were deleted, or are not
 * listed.
 */
export function stateChoices(
  states: readonly MarkedState[] = [],
  chosen: readonly string[] = [],
): { value: string; label: string }[] {
  const known = new Set(states.map(({ key }) => key))
  const repeated = new Set(
    [...Map.groupBy(states, ({ title }) => title)].flatMap(([title, same]) => (same.length > 1 ? title : [])),
  )
  return [
    ...states.map(({ key, title }) => ({
      value: key,
      label: repeated.has(title) ? `${title} (${key})` : title,
    })),
    ...[...new Set(chosen)].flatMap((name) => (known.has(name) ? [] : { value: name, label: name })),
  ]
}
