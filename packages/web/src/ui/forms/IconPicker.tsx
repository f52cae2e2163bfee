import { Group, Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import { thingIcons } from '../display/icons.ts'

interface IconPickerProps {
  label: string
  value: string | null
  onChange: (name: string | null) => void
  placeholder?: string
  description?: string
  disabled?: boolean
}

/** Picker for an icon by its name in the user's language. */
export function IconPicker({
  label,
  value,
  onChange,
  placeholder,
  description,
  disabled = false,
}: IconPickerProps) {
  const { t } = useTranslation()
  const chosen = value !== null && Object.hasOwn(thingIcons, value) ? thingIcons[value] : undefined
  return (
    <Select
      label={label}
      description={description}
      placeholder={placeholder ?? t('icons.placeholder')}
      data={Object.keys(thingIcons).map((name) => ({ value: name, label: t(`icons.names.${name}`) }))}
      value={value}
      onChange={onChange}
      searchable
      clearable
      disabled={disabled}
      nothingFoundMessage={t('common.nothingFound')}
      leftSection={chosen ? <Icon of={chosen} /> : undefined}
      renderOption={({ option }) => {
        const shape = thingIcons[option.value]
        return (
          <Group gap={8} wrap="nowrap">
            {shape ? <Icon of={shape} /> : null}
            {option.label}
          </Group>
        )
      }}
    />
  )
}
