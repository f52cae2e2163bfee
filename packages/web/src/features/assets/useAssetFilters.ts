import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import type { ListFilter } from '../../ui/list/types.ts'

const found = 20

/** Zones for pickers. */
export async function findZones(search: string) {
  const { items } = await client.isAssetMgmt.zones({ limit: found, days: 1, ...(search ? { search } : {}) })
  return items.map(({ id, title }) => ({ value: String(id), label: title }))
}

/** The title of a zone. */
export async function nameZone(id: string): Promise<string> {
  const { zones } = await client.isAssetMgmt.categoriesZones({})
  return zones.find((zone) => String(zone.id) === id)?.title ?? id
}

/** Filters of list and map. */
export function useAssetFilters(): ListFilter[] {
  const { t } = useTranslation()
  const choices = useQuery(api.isAssetMgmt.categoriesZones.queryOptions({ input: {} }))
  const categories = choices.data?.categories
  return useMemo(
    () => [
      {
        key: 'category',
        label: t('assets.field.category'),
        multiple: true,
        options: (categories ?? []).map(({ name }) => ({ value: name, label: name })),
      },
      { key: 'zone', label: t('assets.field.zone'), multiple: true, load: findZones, labelOf: nameZone },
      { key: 'home', label: t('assets.field.homeZone'), multiple: true, load: findZones, labelOf: nameZone },
      {
        key: 'place',
        label: t('assets.field.place'),
        multiple: true,
        options: (['home', 'away', 'lent', 'loose'] as const).map((value) => ({
          value,
          label: t(`assets.places.${value}`),
        })),
      },
      {
        key: 'loan',
        label: t('assets.loan'),
        multiple: false,
        options: [{ value: 'over', label: t('assets.overdue') }],
      },
      {
        key: 'tracker',
        label: t('assets.field.tracker'),
        multiple: false,
        options: [
          { value: 'yes', label: t('assets.withTracker') },
          { value: 'no', label: t('assets.withoutTracker') },
        ],
      },
      {
        key: 'stranger',
        label: t('assets.stranger'),
        multiple: false,
        hidden: true,
        options: [{ value: 'yes', label: t('assets.stranger') }],
      },
    ],
    [t, categories],
  )
}
