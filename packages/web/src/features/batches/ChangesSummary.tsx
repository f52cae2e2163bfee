import { Stack } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { TagList } from '../../ui/display/TagList.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { templateTitle } from '../devices/index.ts'
import { driverTitle } from '../drivers/index.ts'
import { nameTwin } from '../twins/index.ts'
import { labelOf } from './ChangesStep.tsx'
import { type ChangeValues, type SingleField, wordFields } from './changes.ts'

/** Summary of a bulk edit's changes, with the form's labels. */
export function ChangesSummary({ values }: { values: ChangeValues }) {
  const { t } = useTranslation()
  const { add, remove, keyValuesSet, keyValuesRemove, on } = values
  const pairs = Object.entries(keyValuesSet).map(([key, value]) => `${key}: ${value}`)
  const lists = [
    ...wordFields.flatMap((field) => [
      { label: `bulk.${field}Add`, words: add[field] },
      { label: `bulk.${field}Remove`, words: remove[field] },
    ]),
    { label: 'bulk.keyValuesSet', words: pairs },
    { label: 'bulk.keyValuesRemove', words: keyValuesRemove },
  ].filter(({ words }) => words.length > 0)
  return (
    <Section title={t('bulk.summary.title')}>
      <Stack gap="sm">
        {lists.map(({ label, words }) => (
          <Fact key={label} label={t(label)}>
            <TagList tags={words} max={10} />
          </Fact>
        ))}
        {on.map((field) => (
          <Fact key={field} label={t(labelOf(field))}>
            <NewValue field={field} values={values} />
          </Fact>
        ))}
      </Stack>
    </Section>
  )
}

function NewValue({ field, values }: { field: SingleField; values: ChangeValues }) {
  const { t } = useTranslation()
  const emptied = t('bulk.summary.emptied')
  switch (field) {
    case 'operationalStatus':
      return t(`operational.${values.operationalStatus}`)
    case 'disabled':
      return t(values.disabled ? 'devices.filter.disabled' : 'devices.filter.enabled')
    case 'driver':
      return <NameOf kind="driver" id={values.driverId} none={t('devices.noDriver')} />
    case 'parent':
      return <NameOf kind="twin" id={values.parentId} none={t('bulk.summary.none')} />
    case 'icon':
      return values.icon === null ? emptied : t(`icons.names.${values.icon}`)
    case 'floorNumber':
      return values.floorNumber === null ? emptied : formatNumber(values.floorNumber, 0)
    case 'description':
    case 'address':
      return values[field].trim() || emptied
  }
}

const names = { driver: driverTitle, twin: nameTwin, template: templateTitle }

interface NameOfProps {
  kind: keyof typeof names
  id: string | null
  /** shown if nothing is selected */
  none?: string
}

/** Name of a selected object; its id until the name is loaded. */
export function NameOf({ kind, id, none = '–' }: NameOfProps) {
  const { data } = useQuery({
    queryKey: ['name', kind, id],
    queryFn: id === null ? skipToken : () => names[kind](id),
    staleTime: 60_000,
  })
  return data ?? id ?? none
}
