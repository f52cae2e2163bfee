import type { State } from '@leitstand/contract/states'
import type { TwinType } from '@leitstand/contract/twins'
import { Group, Pagination, Table, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../../../lib/api.ts'
import { formatNumber } from '../../../../../lib/format.ts'
import { RelativeTime } from '../../../../../ui/display/RelativeTime.tsx'
import { ErrorText } from '../../../../../ui/feedback/ErrorText.tsx'
import type { StateForm } from '../../form.ts'
import TwinQueryFields from '../../TwinQueryFields.tsx'
import { stateText } from '../../text.ts'
import { sources } from '../index.ts'
import { queryOf, staleOf } from './settings.ts'

type Form = UseFormReturnType<StateForm>

const pageSize = 10

/** The query of an aggregate: key of the states, and which twins and devices they belong to. */
export function QueryFields({ form }: { form: Form }) {
  const { t } = useTranslation()
  const { queryTwinId, queryTypes, queryTags, queryZones, queryCategory, source } = form.values
  const { queryDriverIds, queryTemplateIds } = form.values
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
      <TwinQueryFields
        value={{
          twinId: queryTwinId === null ? undefined : Number(queryTwinId),
          category: queryCategory === 'any' ? undefined : queryCategory,
          types: queryTypes as TwinType[],
          tags: queryTags,
          zones: queryZones,
          driverIds: queryDriverIds.map(Number),
          templateIds: queryTemplateIds.map(Number),
        }}
        onChange={(query) =>
          form.setValues({
            queryTwinId: query.twinId === undefined ? null : String(query.twinId),
            queryCategory: query.category ?? 'any',
            queryTypes: query.types ?? [],
            queryTags: query.tags ?? [],
            queryZones: query.zones ?? [],
            queryDriverIds: (query.driverIds ?? []).map(String),
            queryTemplateIds: (query.templateIds ?? []).map(String),
          })
        }
        of={sources[source].of}
        twinError={form.errors.queryTwinId}
      />
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
