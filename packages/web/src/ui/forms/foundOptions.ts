import { filterFound } from '@leitstand/contract/search'
import type { OptionsFilter } from '@mantine/core'

/** Filters the options of every field that chooses from a loaded list, with the rules of all searches. */
export const foundOptions: OptionsFilter = ({ options, search, limit }) => {
  let left = limit
  const found = <T extends { label: string }>(items: readonly T[]) => {
    const some = filterFound(items, search, ({ label }) => [label]).slice(0, left)
    left -= some.length
    return some
  }
  return options.flatMap((option): (typeof options)[number][] => {
    if (!('group' in option)) return found([option])
    const items = found(option.items)
    return items.length > 0 ? [{ group: option.group, items }] : []
  })
}
