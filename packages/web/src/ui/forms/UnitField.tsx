import { quantities, quantityNames, type Unit, unitOf } from '@leitstand/contract/units'
import { Autocomplete, type AutocompleteProps, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { foundUnits } from './foundUnits.ts'

type UnitFieldProps = Omit<AutocompleteProps, 'data' | 'filter' | 'renderOption' | 'maxLength'>

/** A unit of the list, found by its name, symbol or UCUM code, or one of the user's own. */
export function UnitField(props: UnitFieldProps) {
  const { t } = useTranslation()
  const nameOf = (symbol: string) => {
    const known = unitOf(symbol)
    return known === undefined ? '' : t(`units.names.${known.unit.key}`)
  }
  return (
    <Autocomplete
      {...props}
      maxLength={30}
      maxDropdownHeight={300}
      comboboxProps={{ width: 300, position: 'bottom-start' }}
      data={quantityNames.map((quantity) => ({
        group: t(`units.quantities.${quantity}`),
        items: (quantities[quantity] as readonly Unit[]).map(({ symbol }) => symbol),
      }))}
      filter={({ options, search }) => foundUnits(options, search, nameOf)}
      renderOption={({ option }) => <UnitOption symbol={option.value} name={nameOf(option.value)} />}
    />
  )
}

function UnitOption({ symbol, name }: { symbol: string; name: string }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <Text size="sm" fw={500} miw={56}>
        {symbol}
      </Text>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
    </Group>
  )
}
