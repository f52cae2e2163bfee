import type { StateQuery } from '@leitstand/contract/states'
import type { TwinType } from '@leitstand/contract/twins'
import { MultiSelect, Select, SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { EntityMultiPicker, EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { TagInput } from '../../../ui/forms/TagInput.tsx'
import { driverTitle, findDrivers } from '../../drivers/index.ts'
import { twinTypeNames } from '../kinds.ts'
import { findTwins, nameTwin } from '../queries.ts'

/** Which twins and devices a query finds. */
type TwinQueryValue = { [K in keyof Omit<StateQuery, 'key'>]: StateQuery[K] | undefined }

interface TwinQueryFieldsProps {
  value: TwinQueryValue
  onChange: (query: TwinQueryValue) => void
  /** only these; absent: both can be chosen */
  of?: 'digitalTwin' | 'virtualDevice' | undefined
  twinError?: ReactNode
}

/** The part of a query that is about twins: below which one, of which types, with which tags and so on. */
export default function TwinQueryFields({ value, onChange, of, twinError }: TwinQueryFieldsProps) {
  const { t } = useTranslation()
  const used = useQuery(api.digitaltwin.tagsZones.queryOptions({ staleTime: 60_000 }))
  const set = (change: Partial<TwinQueryValue>) => onChange({ ...value, ...change })
  return (
    <>
      <EntityPicker
        label={t('states.queryTwin')}
        placeholder={t('states.queryEverywhere')}
        value={value.twinId === undefined ? null : String(value.twinId)}
        onChange={(id) => set({ twinId: id === null ? undefined : Number(id) })}
        error={twinError}
        load={findTwins}
        labelOf={nameTwin}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {of === undefined ? (
          <Select
            label={t('states.queryCategory')}
            allowDeselect={false}
            data={(['any', 'digitalTwin', 'virtualDevice'] as const).map((each) => ({
              value: each,
              label: t(`states.queryCategories.${each}`),
            }))}
            value={value.category ?? 'any'}
            onChange={(next) =>
              set({
                category: next === 'any' || next === null ? undefined : (next as 'digitalTwin'),
                ...(next === 'digitalTwin' ? { driverIds: undefined, templateIds: undefined } : {}),
              })
            }
          />
        ) : null}
        <MultiSelect
          label={t('twins.type')}
          data={twinTypeNames.map((type) => ({ value: type, label: t(`twins.types.${type}`) }))}
          value={value.types ?? []}
          onChange={(types) => set({ types: types as TwinType[] })}
          clearable
        />
        <TagInput
          label={t('twins.tags')}
          value={value.tags ?? []}
          onChange={(tags) => set({ tags })}
          suggestions={used.data?.tags ?? []}
        />
        <TagInput
          label={t('twins.zones')}
          value={value.zones ?? []}
          onChange={(zones) => set({ zones })}
          suggestions={used.data?.zones ?? []}
        />
        {value.category === 'digitalTwin' && of === undefined ? null : (
          <DeviceFields value={value} onChange={set} />
        )}
      </SimpleGrid>
    </>
  )
}

/** Drivers and templates of the devices, as far as the user may see them. */
function DeviceFields({
  value,
  onChange,
}: {
  value: TwinQueryValue
  onChange: (change: Partial<TwinQueryValue>) => void
}) {
  const { t } = useTranslation()
  const can = useCan()
  return (
    <>
      {can('DeviceDriver', 'read') || can('VirtualDevice', 'read') ? (
        <EntityMultiPicker
          label={t('states.queryDrivers')}
          value={(value.driverIds ?? []).map(String)}
          onChange={(ids) => onChange({ driverIds: ids.map(Number) })}
          load={findDrivers}
          labelOf={driverTitle}
        />
      ) : null}
      {can('DeviceTemplate', 'read') ? (
        <EntityMultiPicker
          label={t('states.queryTemplates')}
          value={(value.templateIds ?? []).map(String)}
          onChange={(ids) => onChange({ templateIds: ids.map(Number) })}
          load={async (search) => {
            const { items } = await client.deviceTemplate.list({ search: search || undefined, limit: 20 })
            return items.map(({ id, title }) => ({ value: String(id), label: title }))
          }}
          labelOf={async (id) => (await client.deviceTemplate.get({ id: Number(id) })).title}
        />
      ) : null}
    </>
  )
}
