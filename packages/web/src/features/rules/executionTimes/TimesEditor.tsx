import type { ExecutionTimes } from '@leitstand/contract/rules'
import { Button, Group, Select, Stack, Switch, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { localeTag } from '../../../lib/format.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { DateField } from '../../../ui/forms/DateField.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import { TimeField } from '../../../ui/forms/TimeField.tsx'
import classes from '../rules.module.css'
import { Weekdays } from '../Weekdays.tsx'
import { type Holidays, newTimes, timesMax, type Window } from './times.ts'

interface TimesEditorProps {
  value: ExecutionTimes | null
  onChange: (times: ExecutionTimes | null) => void
}

/** When a rule runs: at any time, or in windows of a day, on dates, and on or outside of public holidays. */
export default function TimesEditor({ value, onChange }: TimesEditorProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm">
      <Switch
        label={t('rules.times.limited')}
        description={t('rules.times.limitedHint')}
        checked={value !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? newTimes : null)}
      />
      {value === null ? null : (
        <>
          <Windows windows={value.windows} onChange={(windows) => onChange({ ...value, windows })} />
          <Dates dates={value.dates} onChange={(dates) => onChange({ ...value, dates })} />
          <HolidayFields value={value.holidays} onChange={(holidays) => onChange({ ...value, holidays })} />
        </>
      )}
    </Stack>
  )
}

/** The list with one item replaced. */
function replaced<T>(list: readonly T[], index: number, item: T): T[] {
  return list.map((each, at) => (at === index ? item : each))
}

function AddButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      style={{ alignSelf: 'start' }}
      leftSection={<Icon of={IconPlus} size={14} />}
      onClick={onClick}
    >
      {label}
    </Button>
  )
}

/** Fields of these lists have no ids: an item is identified by its position. */
const keyAt = (index: number) => String(index)

function Windows({
  windows,
  onChange,
}: {
  windows: readonly Window[]
  onChange: (windows: Window[]) => void
}) {
  const { t } = useTranslation()
  return (
    <>
      {windows.map((window, index) => {
        const set = (change: Partial<Window>) => onChange(replaced(windows, index, { ...window, ...change }))
        const label = t('rules.times.window', { number: index + 1 })
        return (
          <fieldset key={keyAt(index)} className={classes.entry} aria-label={label}>
            <Group gap={10} align="end">
              <TimeField
                label={t('rules.times.from')}
                value={window.from}
                onChange={(from) => set({ from })}
              />
              <TimeField label={t('rules.times.to')} value={window.to} onChange={(to) => set({ to })} />
              {window.to !== '' && window.to <= window.from ? (
                <Text size="sm" c="dimmed" mb={8}>
                  {t('rules.times.nextDay')}
                </Text>
              ) : null}
              <RemoveButton
                ml="auto"
                mb={4}
                label={t('rules.times.remove', { name: label })}
                onClick={() => onChange(windows.filter((_, at) => at !== index))}
              />
            </Group>
            <Weekdays days={window.days} onChange={(days) => set({ days })} />
          </fieldset>
        )
      })}
      {windows.length < timesMax ? (
        <AddButton
          label={t('rules.times.addWindow')}
          onClick={() => onChange([...windows, ...newTimes.windows])}
        />
      ) : null}
    </>
  )
}

type Dates = ExecutionTimes['dates']

function Dates({ dates, onChange }: { dates: Dates; onChange: (dates: Dates) => void }) {
  const { t } = useTranslation()
  return (
    <>
      {dates.map((range, index) => {
        const set = (change: Partial<Dates[number]>) =>
          onChange(replaced(dates, index, { ...range, ...change }))
        const label = t('rules.times.range', { number: index + 1 })
        return (
          <fieldset key={keyAt(index)} className={classes.entry} aria-label={label}>
            <Group gap={10} align="end">
              <DateField
                label={t('rules.times.firstDay')}
                value={range.from}
                onChange={(from) => set({ from })}
              />
              <DateField label={t('rules.times.lastDay')} value={range.to} onChange={(to) => set({ to })} />
              <RemoveButton
                ml="auto"
                mb={4}
                label={t('rules.times.remove', { name: label })}
                onClick={() => onChange(dates.filter((_, at) => at !== index))}
              />
            </Group>
          </fieldset>
        )
      })}
      {dates.length < timesMax ? (
        <AddButton
          label={t('rules.times.addRange')}
          onClick={() => onChange([...dates, { from: '', to: '' }])}
        />
      ) : null}
    </>
  )
}

/** The most calendars that are read at once: there are about 200. */
const calendarsMax = 1_000

function HolidayFields(props: { value: Holidays | null; onChange: (holidays: Holidays | null) => void }) {
  const { value, onChange } = props
  const { t } = useTranslation()
  const calendars = useQuery({
    ...api.ddr.holidayCalendars.queryOptions({ input: { limit: calendarsMax } }),
    enabled: value !== null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const list = calendars.data?.items ?? []
  const names = new Intl.DisplayNames(localeTag(), { type: 'region' })
  const countries = list
    .map(({ country }) => ({ value: country, label: names.of(country) ?? country }))
    .sort((a, b) => a.label.localeCompare(b.label))
  const regions = list.find(({ country }) => country === value?.country)?.regions ?? []
  return (
    <Group gap={10} align="end">
      <Select
        label={t('rules.times.holidays')}
        allowDeselect={false}
        data={(['any', 'except', 'only'] as const).map((on) => ({
          value: on,
          label: t(`rules.times.holidaysOn.${on}`),
        }))}
        value={value?.on ?? 'any'}
        onChange={(on) => {
          if (on === 'except' || on === 'only') onChange({ country: '', ...value, on })
          else onChange(null)
        }}
      />
      {value === null ? null : (
        <Select
          label={t('rules.times.country')}
          searchable
          allowDeselect={false}
          nothingFoundMessage={t('common.nothingFound')}
          data={countries}
          value={value.country || null}
          onChange={(country) => (country === null ? undefined : onChange({ country, on: value.on }))}
        />
      )}
      {value === null || regions.length === 0 ? null : (
        <Select
          label={t('rules.times.region')}
          searchable
          data={[
            { value: '', label: t('rules.times.wholeCountry') },
            ...regions.map(({ region, name }) => ({ value: region, label: name })),
          ]}
          value={value.region ?? ''}
          onChange={(region) => {
            const { country, on } = value
            onChange(region ? { country, on, region } : { country, on })
          }}
        />
      )}
    </Group>
  )
}
