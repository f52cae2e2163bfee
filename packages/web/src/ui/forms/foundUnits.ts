import { unitOf } from '@leitstand/contract/units'
import type { ComboboxItem, ComboboxParsedItem } from '@mantine/core'

/**
 * Options of the unit list by group: all of the quantity while the text is a unit of the list, so that it can be changed for
 * another one, otherwise those whose symbol, name, code, spelling or group contains the text.
 */
export function foundUnits(
  options: readonly ComboboxParsedItem[],
  search: string,
  nameOf: (symbol: string) => string,
): ComboboxParsedItem[] {
  const text = search.trim().toLowerCase()
  if (text === '') return [...options]
  const quantity = unitOf(search)?.quantity
  return options.flatMap((option) => {
    if (!('group' in option)) return []
    const items = option.items.filter((item): item is ComboboxItem => {
      const symbol = typeof item === 'object' && 'value' in item ? String(item.value) : ''
      const known = unitOf(symbol)
      if (quantity !== undefined && known?.quantity === quantity) return true
      const { code = '', aliases = [] } = known?.unit ?? {}
      return [symbol, nameOf(symbol), code, ...aliases, String(option.group)].some((each) =>
        each.toLowerCase().includes(text),
      )
    })
    return items.length === 0 ? [] : [{ ...option, items }]
  })
}
