import type { ExportSelection } from '@leitstand/contract/exports'
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client, queryClient } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { EntityMultiPicker, EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import type { StepProps } from './steps.tsx'

const offeredMax = 20
const settledMs = 300
const kinds = ['virtualDevices', 'digitalTwins', 'deviceDrivers', 'smartGroup'] as const

/** Its name, and what is exported. */
export function WhatStep({ values, set, faultAt, copyOf }: StepProps) {
  const { t } = useTranslation()
  const { data } = useAccounts()
  const { selection, dashboardId } = values
  return (
    <Stack gap="md" maw={560}>
      <TextInput
        label={t('exportSchedules.title')}
        placeholder={t('exportSchedules.titleHint')}
        required
        autoComplete="off"
        data-autofocus
        maxLength={100}
        value={values.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        error={faultAt('title')}
      />
      {copyOf === undefined && data?.items.length !== 1 ? (
        <AccountSelect
          label={t('exportSchedules.account')}
          description={t('exportSchedules.accountHint')}
          required
          value={values.accountId}
          onChange={(accountId) => set({ accountId })}
          error={faultAt('accountId')}
        />
      ) : null}
      <Select
        label={t('exportSchedules.what')}
        data={[...kinds, 'dashboard'].map((of) => ({ value: of, label: t(`exportSchedules.of.${of}`) }))}
        allowDeselect={false}
        value={dashboardId === null ? selection.of : 'dashboard'}
        onChange={(of) =>
          set(
            of === 'dashboard'
              ? { dashboardId: '' }
              : { dashboardId: null, selection: emptyOf(of as ExportSelection['of']) },
          )
        }
      />
      {dashboardId === null ? (
        <>
          <SelectionFields values={values} set={set} faultAt={faultAt} copyOf={copyOf} />
          <Found selection={selection} />
        </>
      ) : (
        <EntityPicker
          label={t('exportSchedules.dashboard')}
          description={t('exportSchedules.dashboardHint')}
          required
          value={dashboardId === '' ? null : dashboardId}
          load={findBoards}
          labelOf={boardLabel}
          onChange={(id) => set({ dashboardId: id ?? '' })}
          error={faultAt('content.dashboardId')}
        />
      )}
    </Stack>
  )
}

/** No driver and no group are chosen yet, which the check of the form then finds. */
function emptyOf(of: ExportSelection['of']): ExportSelection {
  switch (of) {
    case 'virtualDevices':
    case 'digitalTwins':
      return { of, filter: {} }
    case 'deviceDrivers':
      return { of, driverIds: [] }
    case 'smartGroup':
      return { of, groupId: 0 }
  }
}

function SelectionFields({ values, set, faultAt }: StepProps) {
  const { t } = useTranslation()
  const { selection } = values
  const change = (to: ExportSelection) => set({ selection: to })
  switch (selection.of) {
    case 'smartGroup':
      return (
        <EntityPicker
          label={t('exportSchedules.of.smartGroup')}
          required
          value={selection.groupId === 0 ? null : String(selection.groupId)}
          load={findGroups}
          labelOf={groupLabel}
          onChange={(id) => change({ of: 'smartGroup', groupId: Number(id ?? 0) })}
          error={faultAt('content.selection.groupId')}
        />
      )
    case 'deviceDrivers':
      return (
        <EntityMultiPicker
          label={t('exportSchedules.drivers')}
          required
          value={selection.driverIds.map(String)}
          load={findDrivers}
          labelOf={driverLabel}
          onChange={(ids) => change({ of: 'deviceDrivers', driverIds: ids.map(Number) })}
          error={faultAt('content.selection.driverIds')}
        />
      )
    case 'virtualDevices':
      return (
        <Filter selection={selection} onChange={change}>
          <EntityMultiPicker
            label={t('exportSchedules.drivers')}
            placeholder={t('exportSchedules.any')}
            value={(selection.filter.driver_ids ?? []).map(String)}
            load={findDrivers}
            labelOf={driverLabel}
            onChange={(ids) => {
              const { driver_ids: _, ...filter } = selection.filter
              const driverIds = ids.length === 0 ? {} : { driver_ids: ids.map(Number) }
              change({ ...selection, filter: { ...filter, ...driverIds } })
            }}
          />
        </Filter>
      )
    case 'digitalTwins':
      return (
        <Filter selection={selection} onChange={change}>
          <EntityPicker
            label={t('exportSchedules.within')}
            placeholder={t('exportSchedules.any')}
            value={selection.within === undefined ? null : String(selection.within)}
            load={findTwins}
            labelOf={twinLabel}
            onChange={(id) => {
              const { within: _, ...rest } = selection
              change(id === null ? rest : { ...rest, within: Number(id) })
            }}
          />
        </Filter>
      )
  }
}

type Filtered = Extract<ExportSelection, { of: 'virtualDevices' | 'digitalTwins' }>

/** The filter of the list: the fields that are needed most, and how many others come from the list. */
function Filter({
  selection,
  onChange,
  children,
}: {
  selection: Filtered
  onChange: (selection: Filtered) => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  const { ids } = selection
  const fields: Partial<Record<string, unknown>> = selection.filter
  // Devices can be searched for by several words at once.
  const isDevice = selection.of === 'virtualDevices'
  const searchKey = isDevice ? 'search_items' : 'search'
  const search = selection.of === 'virtualDevices' ? selection.filter.search_items : selection.filter.search
  const shown = [searchKey, 'tags', ...(isDevice ? ['driver_ids'] : [])]
  const others = Object.keys(fields).filter((key) => !shown.includes(key)).length
  const setPart = (key: string, value: string | string[]) => {
    const { [key]: _, ...rest } = fields
    onChange({ ...selection, filter: value.length === 0 ? rest : { ...rest, [key]: value } } as Filtered)
  }
  if (ids !== undefined)
    return (
      <Group gap={8}>
        <Text size="sm">{t('exportSchedules.chosen', { count: ids.length })}</Text>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => onChange({ of: selection.of, filter: {} } as Filtered)}
        >
          {t('exportSchedules.byFilter')}
        </Button>
      </Group>
    )
  return (
    <>
      <TextInput
        label={t('exportSchedules.filterSearch')}
        placeholder={t('exportSchedules.any')}
        autoComplete="off"
        maxLength={200}
        value={Array.isArray(search) ? search.join(' ') : (search ?? '')}
        onChange={(event) => {
          const text = event.currentTarget.value
          setPart(searchKey, isDevice && text !== '' ? [text] : text)
        }}
      />
      <TagInput
        label={t('exportSchedules.tags')}
        value={selection.filter.tags ?? []}
        onChange={(tags) => setPart('tags', tags)}
      />
      {children}
      {others > 0 ? (
        <Text size="sm" c="dimmed">
          {t('exportSchedules.otherFilters', { count: others })}
        </Text>
      ) : null}
    </>
  )
}

/** How many there are now. */
function Found({ selection }: { selection: ExportSelection }) {
  const { t } = useTranslation()
  const isChosen =
    selection.of === 'smartGroup'
      ? selection.groupId > 0
      : selection.of !== 'deviceDrivers' || selection.driverIds.length > 0
  const [settled] = useDebouncedValue(selection, settledMs)
  const { data, error } = useQuery({
    ...api.exporting.preview.queryOptions({ input: { selection: settled } }),
    enabled: isChosen && settled.of === selection.of,
    placeholderData: keepPreviousData,
  })
  if (!isChosen) return null
  if (error) return <ErrorText error={error} />
  if (!data) return null
  return (
    <Text size="sm" c="dimmed" aria-live="polite">
      {t(selection.of === 'digitalTwins' ? 'exports.twinsFound' : 'exports.devicesFound', {
        count: data.objects,
        number: formatNumber(data.objects, 0),
      })}{' '}
      {'ids' in selection ? null : t('exports.foundAgain')}
    </Text>
  )
}

const option = ({ id, title }: { id: number; title: string }) => ({ value: String(id), label: title })

const findBoards = async (search: string) =>
  (await client.dashboards.list({ search, limit: offeredMax })).items.map(({ id, name }) => ({
    value: String(id),
    label: name,
  }))
const boardLabel = async (id: string) =>
  (await queryClient.fetchQuery(api.dashboards.get.queryOptions({ input: { id: Number(id) } }))).name

const findGroups = async (search: string) =>
  (await client.smartGroup.list({ search, limit: offeredMax })).items.map(option)
const groupLabel = async (id: string) =>
  (await queryClient.fetchQuery(api.smartGroup.get.queryOptions({ input: { id: Number(id) } }))).title

const findDrivers = async (search: string) =>
  (await client.devicedrivers.list({ search, limit: offeredMax })).items.map(option)
const driverLabel = async (id: string) =>
  (await queryClient.fetchQuery(api.devicedrivers.get.queryOptions({ input: { id: Number(id) } }))).title

const findTwins = async (search: string) =>
  (await client.digitaltwin.list({ search, limit: offeredMax })).items.map(option)
const twinLabel = async (id: string) =>
  (await queryClient.fetchQuery(api.digitaltwin.get.queryOptions({ input: { id: Number(id) } }))).title
