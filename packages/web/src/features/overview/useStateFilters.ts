import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useCan } from '../../lib/session.ts'
import type { ListFilter } from '../../ui/list/types.ts'
import { driverTitle, findDrivers } from '../drivers/index.ts'
import { builtKey, choicesOf, never, silenceMinutes } from './filters.ts'

/** How long names of tags and groups stay fresh. */
const choicesFreshMs = 60_000

/** Minutes as the largest whole unit: 1440 → `{ unit: 'days', count: 1 }`. */
function unitOf(minutes: number): { unit: 'minutes' | 'hours' | 'days'; count: number } {
  if (minutes % 1440 === 0) return { unit: 'days', count: minutes / 1440 }
  if (minutes % 60 === 0) return { unit: 'hours', count: minutes / 60 }
  return { unit: 'minutes', count: minutes }
}

/** Names of tags and groups that the user may see. */
function useNames() {
  const can = useCan()
  const readsTwins = can('DigitalTwin', 'read')
  const readsDevices = can('VirtualDevice', 'read') || can('VirtualDevice', 'manage')
  const readsDrivers = can('DeviceDriver', 'read') || can('DeviceDriver', 'manage') || readsDevices
  const twins = useQuery({
    ...api.digitaltwin.tagsZones.queryOptions({ staleTime: choicesFreshMs }),
    enabled: readsTwins,
  })
  const devices = useQuery({
    ...api.virtualdevice.tagsZones.queryOptions({ staleTime: choicesFreshMs }),
    enabled: readsDevices,
  })
  const groups = useQuery({
    ...api.virtualdevice.groups.queryOptions({ input: {}, staleTime: choicesFreshMs }),
    enabled: readsDevices,
  })
  const tagsOfTwins = twins.data?.tags
  const tagsOfDevices = devices.data?.tags
  const groupItems = groups.data?.items
  return useMemo(
    () => ({
      tags: [...new Set([...(tagsOfTwins ?? []), ...(tagsOfDevices ?? [])])].sort((a, b) =>
        a.localeCompare(b),
      ),
      groups: [...new Set((groupItems ?? []).map(({ name }) => name))],
      readsDevices,
      readsDrivers,
    }),
    [tagsOfTwins, tagsOfDevices, groupItems, readsDevices, readsDrivers],
  )
}

/** The quick filters of the overview. */
export function useStateFilters(): ListFilter[] {
  const { t } = useTranslation()
  const { tags, groups, readsDevices, readsDrivers } = useNames()
  return useMemo(() => {
    const same = (text: string) => ({ value: text, label: text })
    return [
      {
        key: 'silent',
        label: t('stateOverview.filter.silent'),
        multiple: false,
        options: [
          ...silenceMinutes.map((minutes) => {
            const { unit, count } = unitOf(minutes)
            return { value: String(minutes), label: t(`stateOverview.filter.${unit}`, { count }) }
          }),
          { value: never, label: t('stateOverview.filter.never') },
        ],
      },
      {
        key: 'category',
        label: t('stateOverview.column.category'),
        options: choicesOf('twin_category').map((value) => ({
          value,
          label: t(`stateOverview.category.${value}`),
        })),
      },
      { key: 'tag', label: t('stateOverview.column.tags'), options: tags.map(same) },
      { key: 'unit', label: t('states.unit'), text: { placeholder: '°C' } },
      ...(readsDevices
        ? [{ key: 'group', label: t('stateOverview.column.groups'), options: groups.map(same) }]
        : []),
      ...(readsDrivers
        ? [
            {
              key: 'driver',
              label: t('stateOverview.column.driver'),
              load: findDrivers,
              labelOf: driverTitle,
            },
          ]
        : []),
      { key: 'identifier', label: t('stateOverview.column.identifier'), text: {} },
      { key: 'variable', label: t('states.variable'), text: {} },
      {
        key: 'source',
        label: t('states.source'),
        options: choicesOf('sourceType').map((value) => ({ value, label: t(`states.sources.${value}`) })),
      },
      {
        key: 'type',
        label: t('states.valueType'),
        options: choicesOf('stateType').map((value) => ({ value, label: t(`states.valueTypes.${value}`) })),
      },
      {
        key: 'keyvalue',
        label: t('stateOverview.column.keyValues'),
        text: {
          placeholder: t('stateOverview.filter.pairExample'),
          description: t('stateOverview.filter.pairHint'),
        },
      },
      { key: builtKey, label: t('stateOverview.builder.title'), hidden: true },
      {
        key: 'place',
        label: t('stateOverview.column.position'),
        multiple: false,
        options: [
          { value: 'with', label: t('stateOverview.filter.withPlace') },
          { value: 'without', label: t('stateOverview.filter.withoutPlace') },
        ],
      },
    ]
  }, [t, tags, groups, readsDevices, readsDrivers])
}
