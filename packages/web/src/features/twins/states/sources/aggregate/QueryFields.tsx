import type { State } from '@leitstand/contract/states'
import { Group, MultiSelect, Pagination, Select, SimpleGrid, Table, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../../../lib/api.ts'
import { formatNumber } from '../../../../../lib/format.ts'
import { useCan } from '../../../../../lib/session.ts'
import { RelativeTime } from '../../../../../ui/display/RelativeTime.tsx'
import { ErrorText } from '../../../../../ui/feedback/ErrorText.tsx'
import { EntityMultiPicker, EntityPicker } from '../../../../../ui/forms/EntityPicker.tsx'
import { TagInput } from '../../../../../ui/forms/TagInput.tsx'
import { driverTitle, findDrivers } from '../../../../drivers/index.ts'
import { twinTypeNames } from '../../../kinds.ts'
import { findTwins, nameTwin } from '../../../queries.ts'
import type { StateForm } from '../../form.ts'
import { stateText } from '../../text.ts'
import { sources } from '../index.ts'
import { queryOf, staleOf } from './settings.ts'

type Form = UseFormReturnType<StateForm>

const pageSize = 10

/** The query of an aggregate: key of the states, and which twins and devices they belong to. */
export function QueryFields({ form }: { form: Form }) {
  const { t } = useTranslation()
  const used = useQuery(api.digitaltwin.tagsZones.queryOptions({ staleTime: 60_000 }))
  const { queryTwinId, queryTypes, queryTags, queryZones, queryCategory, source } = form.values
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('states.queryHint')}
      </Text>
      <TextInput
        label={t('states.queryKey')}
        required
        placeholder="temperature"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...form.getInputProps('queryKey')}
      />
      <EntityPicker
        label={t('states.queryTwin')}
        placeholder={t('states.queryEverywhere')}
        value={queryTwinId}
        onChange={(id) => form.setFieldValue('queryTwinId', id)}
        error={form.errors.queryTwinId}
        load={findTwins}
        labelOf={nameTwin}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {sources[source].of === undefined ? (
          <Select
            label={t('states.queryCategory')}
            allowDeselect={false}
            data={(['any', 'digitalTwin', 'virtualDevice'] as const).map((each) => ({
              value: each,
              label: t(`states.queryCategories.${each}`),
            }))}
            value={queryCategory}
            onChange={(next) =>
              form.setFieldValue('queryCategory', (next ?? 'any') as StateForm['queryCategory'])
            }
          />
        ) : null}
        <MultiSelect
          label={t('twins.type')}
          data={twinTypeNames.map((type) => ({ value: type, label: t(`twins.types.${type}`) }))}
          value={queryTypes}
          onChange={(types) => form.setFieldValue('queryTypes', types)}
          clearable
        />
        <TagInput
          label={t('twins.tags')}
          value={queryTags}
          onChange={(tags) => form.setFieldValue('queryTags', tags)}
          suggestions={used.data?.tags ?? []}
        />
        <TagInput
          label={t('twins.zones')}
          value={queryZones}
          onChange={(zones) => form.setFieldValue('queryZones', zones)}
          suggestions={used.data?.zones ?? []}
        />
        {queryCategory === 'digitalTwin' && sources[source].of === undefined ? null : (
          <DeviceFields form={form} />
        )}
      </SimpleGrid>
    </>
  )
}

/** Drivers and templates of the devices, as far as the user may see them. */
function DeviceFields({ form }: { form: Form }) {
  const { t } = useTranslation()
  const can = useCan()
  const { queryDriverIds, queryTemplateIds } = form.values
  return (
    <>
      {can('DeviceDriver', 'read') || can('VirtualDevice', 'read') ? (
        <EntityMultiPicker
          label={t('states.queryDrivers')}
          value={queryDriverIds}
          onChange={(ids) => form.setFieldValue('queryDriverIds', ids)}
          load={findDrivers}
          labelOf={driverTitle}
        />
      ) : null}
      {can('DeviceTemplate', 'read') ? (
        <EntityMultiPicker
          label={t('states.queryTemplates')}
          value={queryTemplateIds}
          onChange={(ids) => form.setFieldValue('queryTemplateIds', ids)}
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

/** The states that the query finds now, by page, and the value that they give. */
export function QueryPreview({ form, objectId, state }: { form: Form; objectId: number; state?: State }) {
  const { t } = useTranslation()
  const [page, setPage] = useState(1)
  const [values] = useDebouncedValue(form.values, 300)
  const query = queryOf(values, sources[values.source].of)
  const stale = staleOf(values)
  const preview = useQuery({
    ...api.state.aggregateMembers.queryOptions({
      input: {
        dtwinId: objectId,
        query: query ?? { key: '' },
        method: values.method,
        offset: (page - 1) * pageSize,
        limit: pageSize,
        ...(stale === undefined ? {} : { stale }),
        ...(state === undefined ? {} : { stateId: state.id }),
      },
    }),
    enabled: query !== undefined,
    placeholderData: keepPreviousData,
  })
  if (query === undefined) return null
  if (preview.isError) return <ErrorText error={preview.error} />
  if (!preview.data) return null
  const { value, valued, stale: old, looping, items, total } = preview.data
  const pages = Math.max(1, Math.ceil(total / pageSize))
  const shown = { unit: values.unit, decimals: values.decimals === '' ? null : values.decimals }
  return (
    <section aria-label={t('states.members')}>
      <Text size="sm" aria-live="polite">
        {t('states.preview', {
          value: stateText(value, shown),
          count: formatNumber(valued, 0),
          total: formatNumber(total, 0),
        })}
        {old > 0 ? ` ${t('states.membersStale', { count: old })}` : ''}
        {looping > 0 ? ` ${t('states.membersLooping', { count: looping })}` : ''}
      </Text>
      {items.length === 0 ? null : (
        <Table mt={6} verticalSpacing={4}>
          <Table.Tbody>
            {items.map((item) => (
              <Table.Tr key={item.stateId}>
                <Table.Td>
                  {item.twinTitle} › {item.title}
                </Table.Td>
                <Table.Td className="tabular" ta="end">
                  {stateText(item.value, item)}
                </Table.Td>
                <Table.Td ta="end" c="dimmed">
                  <RelativeTime time={item.time} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {pages > 1 ? (
        <Group justify="end" mt={6}>
          <Pagination
            size="sm"
            total={pages}
            value={Math.min(page, pages)}
            onChange={setPage}
            getControlProps={(control) => ({ 'aria-label': t(`list.paging.${control}`) })}
          />
        </Group>
      ) : null}
    </section>
  )
}
