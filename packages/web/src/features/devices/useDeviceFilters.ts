import { receivingKinds } from '@leitstand/contract/connectors/kinds/names'
import { healthCategories } from '@leitstand/contract/health'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useCan } from '../../lib/session.ts'
import { healthTones } from '../../ui/display/Badges.tsx'
import type { ListFilter } from '../../ui/list/types.ts'
import { driverTitle, findDrivers } from '../drivers/index.ts'
import { silenceMinutes, silenceUnit } from './filters.ts'
import { findTemplates, templateTitle } from './template/choices.ts'

/** How long names of connectors, tags and zones stay fresh. */
const choicesFreshMs = 60_000

/** The filters of the device list and its map. */
export function useDeviceFilters(): ListFilter[] {
  const { t } = useTranslation()
  const statistics = useQuery(
    api.virtualdevice.statistics.queryOptions({ input: {}, staleTime: choicesFreshMs }),
  )
  const marks = useQuery(api.virtualdevice.tagsZones.queryOptions({ staleTime: choicesFreshMs }))
  const groups = useQuery(api.virtualdevice.groups.queryOptions({ input: {}, staleTime: choicesFreshMs }))
  const can = useCan()
  const readsTemplates = can('DeviceTemplate', 'read') || can('DeviceTemplate', 'manage')
  const connectors = statistics.data?.byConnector
  return useMemo(() => {
    const same = (text: string) => ({ value: text, label: text })
    return [
      {
        key: 'health',
        label: t('devices.field.health'),
        options: healthTones.map((tone, code) => ({ value: String(code), label: t(`health.${tone}`) })),
      },
      {
        key: 'problem',
        label: t('devices.filter.problem'),
        options: healthCategories.map((value) => ({ value, label: t(`deviceHealth.categories.${value}`) })),
      },
      {
        key: 'connector',
        label: t('devices.field.connector'),
        options: (connectors ?? []).map(({ connectorId, name }) => ({
          value: String(connectorId),
          label: name,
        })),
      },
      {
        key: 'driver',
        label: t('devices.field.driver'),
        load: findDrivers,
        labelOf: driverTitle,
      },
      ...(readsTemplates
        ? [
            {
              key: 'template',
              label: t('devices.field.template'),
              load: (search: string) => findTemplates(search),
              labelOf: templateTitle,
            },
          ]
        : []),
      {
        key: 'status',
        label: t('devices.field.operationalStatus'),
        options: [0, 1, 2, 3, 4, 5].map((code) => ({ value: String(code), label: t(`operational.${code}`) })),
      },
      {
        key: 'silent',
        label: t('devices.filter.silent'),
        multiple: false,
        options: silenceMinutes.map((minutes) => {
          const { unit, count } = silenceUnit(minutes)
          return { value: String(minutes), label: t(`devices.filter.${unit}`, { count }) }
        }),
      },
      {
        key: 'group',
        label: t('devices.field.groups'),
        options: [...new Set((groups.data?.items ?? []).map(({ name }) => name))].map(same),
      },
      { key: 'tag', label: t('devices.field.tags'), options: (marks.data?.tags ?? []).map(same) },
      { key: 'zone', label: t('devices.field.zones'), options: (marks.data?.zones ?? []).map(same) },
      {
        key: 'type',
        label: t('devices.field.bridgeType'),
        options: receivingKinds.map((kind) => ({ value: kind, label: t(`connectors.kind.${kind}.name`) })),
      },
      {
        key: 'state',
        label: t('devices.filter.state'),
        multiple: false,
        options: [
          { value: 'enabled', label: t('devices.filter.enabled') },
          { value: 'disabled', label: t('devices.filter.disabled') },
        ],
      },
      {
        key: 'keyvalue',
        label: t('devices.field.keyValues'),
        text: { placeholder: t('devices.filter.pairExample'), description: t('devices.filter.pairHint') },
      },
      {
        key: 'reference',
        label: t('devices.field.referenceIds'),
        text: {
          placeholder: t('devices.filter.referenceExample'),
          description: t('devices.filter.referenceHint'),
        },
      },
    ]
  }, [t, connectors, marks.data, groups.data, readsTemplates])
}
