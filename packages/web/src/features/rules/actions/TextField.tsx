import { Combobox, Textarea, TextInput, useCombobox } from '@mantine/core'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { openPlaceholder, placeholders } from './texts.ts'

interface TextFieldProps {
  label: string
  description?: string
  required?: boolean
  /** several lines */
  multiline?: boolean
  /** for code and topics */
  mono?: boolean
  value: string
  maxLength: number
  aliases: readonly string[]
  error: string | null
  onChange: (text: string) => void
}

/** A text with placeholders: those that fit are offered while one is typed. */
export function TextField({ multiline, mono, value, aliases, error, onChange, ...props }: TextFieldProps) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState(0)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const open = openPlaceholder(value, caret)
  const found =
    open === null
      ? []
      : placeholders(aliases).filter((each) => each.toLowerCase().startsWith(`{{${open.typed.toLowerCase()}`))
  const look = () => {
    const at = field.current?.selectionStart ?? 0
    setCaret(at)
    if (openPlaceholder(field.current?.value ?? '', at) === null) combobox.closeDropdown()
    else combobox.openDropdown()
  }
  const insert = (chosen: string) => {
    if (open === null) return
    const end = open.start + chosen.length
    onChange(value.slice(0, open.start) + chosen + value.slice(open.end))
    combobox.closeDropdown()
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(end, end)
    })
  }
  const shared = {
    ...props,
    ref: field,
    value,
    error,
    autoComplete: 'off',
    spellCheck: mono ? false : undefined,
    styles: mono ? { input: { fontFamily: 'var(--mantine-font-family-monospace)' } } : {},
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
    onSelect: look,
    onBlur: () => combobox.closeDropdown(),
  }
  return (
    <Combobox store={combobox} onOptionSubmit={insert} withinPortal>
      {/* Without suggestions, the arrow keys move within the text. */}
      <Combobox.Target withKeyboardNavigation={found.length > 0}>
        {multiline ? <Textarea {...shared} autosize minRows={3} maxRows={12} /> : <TextInput {...shared} />}
      </Combobox.Target>
      <Combobox.Dropdown hidden={found.length === 0}>
        <Combobox.Options aria-label={t('rules.placeholders')} mah={220} style={{ overflowY: 'auto' }}>
          {found.map((each) => (
            <Combobox.Option key={each} value={each}>
              {each}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
