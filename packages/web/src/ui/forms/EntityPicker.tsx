import { Loader, MultiSelect, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'

interface Option {
  value: string
  label: string
}

interface PickerBase {
  label: string
  /** Returns up to about 20 options for a text; an empty text returns the first ones. */
  load: (search: string) => Promise<readonly Option[]>
  /** Label of a selected value that is not among the loaded options. */
  labelOf?: (value: string) => Promise<string>
  description?: ReactNode
  placeholder?: string
  /** shown if there are no options before anything was typed */
  nothing?: string
  required?: boolean
  disabled?: boolean
  error?: ReactNode
  /** has the focus when its dialog opens; its options stay closed until something is typed */
  isFirst?: boolean
}

/** Attributes of the field that has the focus when its dialog opens. */
const firstField = { 'data-autofocus': true, openOnFocus: false } as const

interface EntityPickerProps extends PickerBase {
  value: string | null
  onChange: (value: string | null, option: Option | undefined) => void
  clearable?: boolean
  /** the label is already visible, e.g. next to a checkbox */
  isLabelHidden?: boolean
}

/** Picker for one object (device, twin, driver …) with a server-side search. Ids are strings here. */
export function EntityPicker({
  value,
  onChange,
  load,
  labelOf,
  clearable = true,
  label,
  isLabelHidden = false,
  nothing,
  isFirst = false,
  ...field
}: EntityPickerProps) {
  const { options, text, setText, fetching } = useOptions(load, labelOf, value === null ? [] : [value])
  const nothingText = useNothingText(text, fetching, nothing)
  /** what a person has typed since the field got the focus or an option was chosen */
  const typed = useRef<string>(undefined)
  const chosenLabel = options.find((option) => option.value === value)?.label
  return (
    <Select
      {...field}
      {...(isFirst ? firstField : {})}
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      data={options}
      value={value}
      onChange={(chosen) =>
        onChange(
          chosen,
          options.find((option) => option.value === chosen),
        )
      }
      searchable
      clearable={clearable && !field.required}
      searchValue={text}
      onInputCapture={(event) => {
        typed.current = event.currentTarget.value
      }}
      onOptionSubmit={() => {
        typed.current = undefined
      }}
      onBlurCapture={() => {
        typed.current = undefined
      }}
      onSearchChange={(next) => {
        // Select writes the label into the field when it arrives, also over what is being typed.
        const lateLabel = typed.current !== undefined && next !== typed.current && next === chosenLabel
        if (!lateLabel) setText(next)
      }}
      filter={({ options: all }) => all}
      nothingFoundMessage={nothingText}
      rightSection={fetching ? <Loader size={14} /> : undefined}
    />
  )
}

interface EntityMultiPickerProps extends PickerBase {
  value: readonly string[]
  onChange: (values: string[]) => void
}

/** Picker for several objects with a server-side search. */
export function EntityMultiPicker({
  value,
  onChange,
  load,
  labelOf,
  nothing,
  isFirst = false,
  ...field
}: EntityMultiPickerProps) {
  const { options, text, setText, fetching } = useOptions(load, labelOf, value)
  const nothingText = useNothingText(text, fetching, nothing)
  return (
    <MultiSelect
      {...field}
      {...(isFirst ? firstField : {})}
      data={options}
      value={[...value]}
      onChange={onChange}
      searchable
      clearable
      hidePickedOptions
      searchValue={text}
      onSearchChange={setText}
      filter={({ options: all }) => all}
      comboboxProps={{ withinPortal: false }}
      nothingFoundMessage={nothingText}
      rightSection={fetching ? <Loader size={14} /> : undefined}
    />
  )
}

/** Text for an empty list. */
function useNothingText(text: string, fetching: boolean, nothing: string | undefined): string {
  const { t } = useTranslation()
  if (fetching) return t('common.loading')
  return text.trim() === '' && nothing !== undefined ? nothing : t('common.nothingFound')
}

/** Options for the typed text, always including the selected ones. */
function useOptions(load: PickerBase['load'], labelOf: PickerBase['labelOf'], chosen: readonly string[]) {
  const picker = useId()
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text.trim(), 200)
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map())
  // After a selection the field contains its label; searching for that would hide all other options.
  const search = chosen.some((value) => known.get(value) === settled) ? '' : settled
  const found = useQuery({
    queryKey: ['picker', picker, search],
    queryFn: async () => {
      const options = await load(search)
      setKnown(
        (before) => new Map([...before, ...options.map((option) => [option.value, option.label] as const)]),
      )
      return options
    },
    placeholderData: keepPreviousData,
  })
  const missing = chosen.filter((value) => !known.has(value))
  const named = useQueries({
    queries: missing.map((value) => ({
      queryKey: ['picker-label', picker, value],
      queryFn: () => (labelOf ? labelOf(value) : Promise.resolve(value)),
      staleTime: 5 * 60_000,
    })),
  })
  const options: Option[] = [...(found.data ?? [])]
  for (const [index, value] of missing.entries()) {
    if (!options.some((option) => option.value === value))
      options.push({ value, label: named[index]?.data ?? value })
  }
  for (const value of chosen) {
    const label = known.get(value)
    if (label !== undefined && !options.some((option) => option.value === value))
      options.push({ value, label })
  }
  return { options, text, setText, fetching: found.isFetching }
}
