import { filterFound, fold } from '@leitstand/contract/search'
import type { ComboboxItem, OptionsFilter } from '@mantine/core'

/**
 * Filters the options of every field that chooses from a loaded list, with the rules of all searches. Those that begin with what is
 * typed come first: who types all of a name, and Enter, means that one, not a longer name.
 */
export const foundOptions: OptionsFilter = ({ options, search, limit }) => {
  const typed = fold(search.trim()).split('\n')
  const begins = (label: string) =>
    fold(label)
      .split('\n')
      .some((form) => typed.some((start) => form.startsWith(start)))
  let left = limit
  const found = <T extends { label: string }>(items: readonly T[]) => {
    const some = filterFound(items, search, ({ label }) => [label])
    const ranked = [
      ...some.filter(({ label }) => begins(label)),
      ...some.filter(({ label }) => !begins(label)),
    ]
    const shown = ranked.slice(0, left)
    left -= shown.length
    return shown
  }
  // Options outside of groups are ranked together, as far as they follow each other.
  const runs: (typeof options)[] = []
  for (const option of options) {
    const last = runs.at(-1)
    if (last?.[0] === undefined || 'group' in option || 'group' in last[0]) runs.push([option])
    else last.push(option)
  }
  return runs.flatMap((run): typeof options => {
    const [first] = run
    if (first === undefined || !('group' in first))
      return found(run.filter((option): option is ComboboxItem => !('group' in option)))
    const items = found(first.items)
    return items.length > 0 ? [{ group: first.group, items }] : []
  })
}
