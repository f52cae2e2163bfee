import {
  ActionIcon,
  Button,
  CloseButton,
  Group,
  Menu,
  MultiSelect,
  Popover,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  IconFilter,
  IconFilterOff,
  IconPlus,
  IconSearch,
  IconStar,
  IconStarFilled,
} from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AccountFilter } from '../accounts/AccountFilter.tsx'
import { Icon } from '../display/Icon.tsx'
import { EntityMultiPicker } from '../forms/EntityPicker.tsx'
import classes from './list.module.css'
import { isFiltered } from './params.ts'
import type { useListState } from './state.ts'
import type { ListFilter } from './types.ts'

interface FilterBarProps {
  list: ReturnType<typeof useListState>
  filters: readonly ListFilter[]
  searchPlaceholder: string
  /** default true */
  withSearch?: boolean
  withAccounts: boolean
  withFavorites: boolean
  /** after the filters: parts specific to a list, e.g. saved filters */
  children?: ReactNode
}

/** The one bar above a list: search, accounts, filters, favourites, reset. */
export function FilterBar({
  list,
  filters,
  withAccounts,
  withFavorites,
  children,
  ...search
}: FilterBarProps) {
  const { t } = useTranslation()
  const { state } = list
  return (
    <search className={classes.bar} aria-label={t('list.filters')}>
      {(search.withSearch ?? true) ? (
        <SearchField value={state.search} onChange={list.setSearch} placeholder={search.searchPlaceholder} />
      ) : null}
      {withAccounts ? <AccountFilter value={state.accountIds} onChange={list.setAccounts} /> : null}
      <Filters list={list} filters={filters.filter((filter) => !filter.hidden)} />
      {withFavorites ? (
        <Tooltip label={t('list.favorites')}>
          <ActionIcon
            size={34}
            variant={state.favorites ? 'light' : 'default'}
            color={state.favorites ? 'accent' : 'gray'}
            aria-label={t('list.favorites')}
            aria-pressed={state.favorites}
            onClick={() => list.setFavorites(!state.favorites)}
          >
            <Icon of={state.favorites ? IconStarFilled : IconStar} size={16} />
          </ActionIcon>
        </Tooltip>
      ) : null}
      {children}
      <Tooltip label={t('list.reset')}>
        <ActionIcon
          size={34}
          className={classes.reset ?? ''}
          data-idle={isFiltered(state) ? undefined : true}
          aria-label={t('list.reset')}
          onClick={list.reset}
        >
          <Icon of={IconFilterOff} size={16} />
        </ActionIcon>
      </Tooltip>
    </search>
  )
}

/** Filters that are always shown; the others are in a menu. */
const filtersShown = 4

/** The first filters and those in use as chips, the others behind a button; on a phone only those in use. */
function Filters({ list, filters }: { list: FilterBarProps['list']; filters: readonly ListFilter[] }) {
  const { t } = useTranslation()
  const small = useMediaQuery('(max-width: 599.98px)', undefined, { getInitialValueInEffect: false })
  const [wanted, setWanted] = useState<string | null>(null)
  const always = small ? 0 : filters.length <= filtersShown + 1 ? filters.length : filtersShown
  const valuesOf = (filter: ListFilter) => list.state.filters[filter.key] ?? []
  const isShown = (filter: ListFilter, index: number) =>
    index < always || valuesOf(filter).length > 0 || filter.key === wanted
  const hidden = filters.filter((filter, index) => !isShown(filter, index))
  return (
    <>
      {filters.filter(isShown).map((filter) => (
        <FilterChip
          key={filter.key}
          filter={filter}
          values={valuesOf(filter)}
          onChange={(values) => list.setFilter(filter.key, values)}
          startOpen={filter.key === wanted}
          onClose={() => setWanted((current) => (current === filter.key ? null : current))}
        />
      ))}
      {hidden.length > 0 ? (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button
              variant="default"
              color="gray"
              size="compact-md"
              className={classes.chip}
              leftSection={<Icon of={IconPlus} size={14} />}
            >
              {t('list.moreFilters')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {hidden.map((filter) => (
              <Menu.Item key={filter.key} onClick={() => setWanted(filter.key)}>
                {filter.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : null}
    </>
  )
}

/** Searches from the first character on; the address is updated after a short typing pause. */
function SearchField(props: { value: string; onChange: (value: string) => void; placeholder: string }) {
  const { t } = useTranslation()
  const { value, onChange } = props
  const [text, setText] = useState(value)
  const [sent, setSent] = useState(value)
  // If the address changes otherwise (back button, reset), it replaces the field's value.
  if (value !== sent) {
    setSent(value)
    setText(value)
  }
  useEffect(() => {
    if (text === sent) return undefined
    const timer = setTimeout(() => {
      setSent(text)
      onChange(text)
    }, 200)
    return () => clearTimeout(timer)
  }, [text, sent, onChange])
  return (
    <TextInput
      className={classes.search}
      data-list-search
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || text === '') return
        event.preventDefault()
        setText('')
      }}
      placeholder={props.placeholder}
      aria-label={props.placeholder}
      leftSection={<Icon of={IconSearch} size={16} />}
      rightSection={
        text ? <CloseButton size="sm" aria-label={t('list.clearSearch')} onClick={() => setText('')} /> : null
      }
      maxLength={200}
    />
  )
}

/** A filter as a chip that opens its options. */
function FilterChip(props: {
  filter: ListFilter
  values: readonly string[]
  onChange: (values: string[]) => void
  /** Opened from the menu of further filters. */
  startOpen: boolean
  onClose: () => void
}) {
  const { filter, values, onChange } = props
  const [open, setOpen] = useState(props.startOpen)
  const { t } = useTranslation()
  const label =
    values.length === 1 && (filter.options || filter.text)
      ? (filter.options?.find((option) => option.value === values[0])?.label ?? values[0])
      : undefined
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      onClose={props.onClose}
      position="bottom-start"
      width={280}
      trapFocus
      withinPortal
    >
      <Popover.Target>
        <Button
          variant={values.length > 0 ? 'light' : 'default'}
          color={values.length > 0 ? 'accent' : 'gray'}
          size="compact-md"
          className={classes.chip}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          leftSection={<Icon of={IconFilter} size={14} />}
          rightSection={
            values.length > 0 && !label ? <span className={classes.count}>{values.length}</span> : undefined
          }
        >
          {label ? `${filter.label}: ${label}` : filter.label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {filter.text ? (
          <TextFilter
            filter={filter}
            value={values[0] ?? ''}
            onChange={(text) => onChange(text ? [text] : [])}
          />
        ) : filter.load ? (
          <EntityMultiPicker
            label={filter.label}
            value={values}
            onChange={(chosen) => onChange(filter.multiple === false ? chosen.slice(-1) : chosen)}
            load={filter.load}
            {...(filter.labelOf ? { labelOf: filter.labelOf } : {})}
          />
        ) : (
          <MultiSelect
            label={filter.label}
            data={[...(filter.options ?? [])]}
            value={[...values]}
            onChange={(chosen) => onChange(filter.multiple === false ? chosen.slice(-1) : chosen)}
            placeholder={values.length === 0 ? t('list.any') : ''}
            comboboxProps={{ withinPortal: false }}
            searchable
            clearable
            data-autofocus
          />
        )}
        <Group justify="flex-end" mt="xs">
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            disabled={values.length === 0}
            onClick={() => onChange([])}
          >
            {t('list.clear')}
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}

/** Free text filter; applying every keystroke would reload the list while typing. */
function TextFilter(props: { filter: ListFilter; value: string; onChange: (text: string) => void }) {
  const { filter, value, onChange } = props
  const [text, setText] = useState(value)
  const take = () => {
    if (text.trim() !== value) onChange(text.trim())
  }
  return (
    <TextInput
      label={filter.label}
      description={filter.text?.description}
      placeholder={filter.text?.placeholder ?? ''}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take()
      }}
      maxLength={300}
      data-autofocus
    />
  )
}
