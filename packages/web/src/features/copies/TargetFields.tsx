import { MultiSelect, SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { EntityMultiPicker, EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { findTwins, nameTwin, twinTypeNames } from '../twins/index.ts'
import type { Targets } from './targets.ts'

/** Twins chosen one by one. */
export function TargetsByName(props: {
  twinId: number
  value: readonly string[]
  onChange: (ids: string[]) => void
}) {
  const { t } = useTranslation()
  const { twinId, ...picked } = props
  return (
    <EntityMultiPicker
      isFirst
      label={t('copies.sync.names')}
      load={async (search) => (await findTwins(search)).filter(({ value }) => value !== String(twinId))}
      labelOf={nameTwin}
      {...picked}
    />
  )
}

/** All twins that match. */
export function TargetsByFilter(props: {
  value: Targets['filter']
  onChange: (filter: Targets['filter']) => void
}) {
  const { t } = useTranslation()
  const { value, onChange } = props
  const { data: used } = useQuery(api.digitaltwin.tagsZones.queryOptions({ staleTime: 60_000 }))
  const several = { searchable: true, clearable: true, hidePickedOptions: true } as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <EntityPicker
        label={t('twins.parent')}
        value={value.parentId}
        onChange={(parentId) => onChange({ ...value, parentId })}
        load={findTwins}
        labelOf={nameTwin}
      />
      <MultiSelect
        {...several}
        label={t('twins.type')}
        data={twinTypeNames.map((type) => ({ value: type, label: t(`twins.types.${type}`) }))}
        value={value.types}
        onChange={(types) => onChange({ ...value, types: types as Targets['filter']['types'] })}
      />
      <MultiSelect
        {...several}
        label={t('twins.tags')}
        data={used?.tags ?? []}
        value={value.tags}
        onChange={(tags) => onChange({ ...value, tags })}
      />
      <MultiSelect
        {...several}
        label={t('twins.zones')}
        data={used?.zones ?? []}
        value={value.zones}
        onChange={(zones) => onChange({ ...value, zones })}
      />
    </SimpleGrid>
  )
}
