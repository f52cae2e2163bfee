import { MultiSelect, NumberInput, Select, TagsInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAccounts } from '../../../ui/accounts/AccountFilter.tsx'
import { DateTimeField } from '../../../ui/forms/DateTimeField.tsx'
import { EntityMultiPicker } from '../../../ui/forms/EntityPicker.tsx'
import { driverTitle, findDrivers } from '../../drivers/index.ts'
import { choicesOf } from '../filters.ts'
import classes from './builder.module.css'
import { type ConditionDraft, inputOf } from './draft.ts'

interface ValueFieldProps {
  condition: ConditionDraft
  isWrong: boolean
  onChange: (condition: ConditionDraft) => void
}

/** What a condition is compared with; several values mean that one of them has to match. */
export function ValueField({ condition, isWrong, onChange }: ValueFieldProps) {
  const { t } = useTranslation()
  const set = (values: readonly string[]) => onChange({ ...condition, values })
  const error = isWrong ? t('stateOverview.builder.valueNeeded') : undefined
  const field = { error, 'aria-label': t('stateOverview.builder.value') }
  const { attribute, values } = condition
  switch (inputOf(condition)) {
    case 'none':
      return null
    case 'minutes':
      return (
        <Minutes minutes={values[0]} error={error} onChange={(minutes) => set(minutes ? [minutes] : [])} />
      )
    case 'time':
      return <Time time={values[0]} error={error} onChange={(time) => set(time ? [time] : [])} />
    case 'choice':
      return (
        <MultiSelect
          {...field}
          value={[...values]}
          onChange={set}
          data={choicesOf(attribute as Parameters<typeof choicesOf>[0]).map((value) => ({
            value,
            label: t(`${choiceTexts[attribute]}.${value}`),
          }))}
          comboboxProps={{ withinPortal: true }}
        />
      )
    case 'ids':
      if (attribute === 'accountId') return <Accounts {...field} value={values} onChange={set} />
      if (attribute === 'device_driver_id')
        return (
          <EntityMultiPicker
            label=""
            value={[...values]}
            onChange={set}
            load={findDrivers}
            labelOf={driverTitle}
            {...field}
          />
        )
      return (
        <TagsInput
          {...field}
          value={[...values]}
          onChange={(next) => set(next.filter((id) => /^[1-9]\d{0,8}$/.test(id)))}
          placeholder={values.length > 0 ? '' : 'ID'}
          inputMode="numeric"
          acceptValueOnBlur
        />
      )
    case 'texts':
      return (
        <TagsInput
          {...field}
          value={[...values]}
          onChange={set}
          placeholder={values.length > 0 ? '' : t('stateOverview.builder.anyOf')}
          maxLength={200}
          acceptValueOnBlur
        />
      )
  }
}

/** Texts of the values of an attribute with a fixed set. */
const choiceTexts: Partial<Record<ConditionDraft['attribute'], string>> = {
  stateType: 'states.valueTypes',
  sourceType: 'states.sources',
  twin_category: 'stateOverview.category',
}

interface FieldProps {
  error: string | undefined
  'aria-label': string
}

function Accounts(props: FieldProps & { value: readonly string[]; onChange: (ids: string[]) => void }) {
  const { data } = useAccounts()
  const accounts = (data?.items ?? []).map(({ id, name }) => ({ value: String(id), label: name }))
  const unknown = props.value.filter((id) => accounts.every(({ value }) => value !== id))
  return (
    <MultiSelect
      {...props}
      value={[...props.value]}
      data={[...accounts, ...unknown.map((id) => ({ value: id, label: id }))]}
      searchable
      limit={50}
    />
  )
}

const minutesIn = { minutes: 1, hours: 60, days: 1440 } as const
type Unit = keyof typeof minutesIn

function Minutes(props: {
  minutes: string | undefined
  error: string | undefined
  onChange: (minutes: string | undefined) => void
}) {
  const { t } = useTranslation()
  const given = Number(props.minutes ?? 0)
  const [unit, setUnit] = useState<Unit>(
    given % minutesIn.days === 0 ? 'days' : given % minutesIn.hours === 0 ? 'hours' : 'minutes',
  )
  const [count, setCount] = useState<string | number>(given > 0 ? given / minutesIn[unit] : '')
  const send = (next: string | number, of: Unit) => {
    const minutes = Number(next) * minutesIn[of]
    props.onChange(minutes > 0 ? String(minutes) : undefined)
  }
  return (
    <div className={classes.period}>
      <NumberInput
        aria-label={t('stateOverview.builder.value')}
        value={count}
        onChange={(next) => {
          setCount(next)
          send(next, unit)
        }}
        min={1}
        max={5_256_000}
        allowDecimal={false}
        error={props.error}
      />
      <Select
        aria-label={t('stateOverview.builder.unit')}
        value={unit}
        onChange={(next) => {
          if (!next) return
          setUnit(next as Unit)
          send(count, next as Unit)
        }}
        data={Object.keys(minutesIn).map((each) => ({
          value: each,
          label: t(`stateOverview.builder.${each}`),
        }))}
        allowDeselect={false}
      />
    </div>
  )
}

function Time(props: {
  time: string | undefined
  error: string | undefined
  onChange: (time: string | undefined) => void
}) {
  const { t } = useTranslation()
  const local = props.time === undefined ? '' : toLocal(new Date(props.time))
  return (
    <DateTimeField
      label={t('stateOverview.builder.at')}
      value={local}
      onChange={(next) => props.onChange(next === '' ? undefined : new Date(next).toISOString())}
      error={props.error}
    />
  )
}

/** `2026-03-04T12:30` in the time zone of the browser. */
function toLocal(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
