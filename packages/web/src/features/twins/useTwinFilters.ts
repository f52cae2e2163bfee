import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import type { ListFilter } from '../../ui/list/types.ts'
import { twinTypeNames } from './kinds.ts'

/** Filters that the list and the map of twins share. */
export function useTwinFilters(): Record<'type' | 'tag' | 'zone', ListFilter> {
  const { t } = useTranslation()
  const { data: used } = useQuery(api.digitaltwin.tagsZones.queryOptions({ staleTime: 60_000 }))
  return useMemo(() => {
    const named = (values: readonly string[] = []) => values.map((value) => ({ value, label: value }))
    return {
      type: {
        key: 'type',
        label: t('twins.type'),
        options: twinTypeNames.map((type) => ({ value: type, label: t(`twins.types.${type}`) })),
      },
      tag: { key: 'tag', label: t('twins.tag'), options: named(used?.tags) },
      zone: { key: 'zone', label: t('twins.zone'), options: named(used?.zones) },
    }
  }, [t, used])
}
