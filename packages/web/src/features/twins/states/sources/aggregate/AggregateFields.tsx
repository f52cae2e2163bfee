import type { State } from '@leitstand/contract/states'
import { NumberInput, SegmentedControl, Select, SimpleGrid, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../../../lib/api.ts'
import { ErrorText } from '../../../../../ui/feedback/ErrorText.tsx'
import type { StateForm } from '../../form.ts'
import { StateMultiPicker } from '../../StatePicker.tsx'
import { stateText } from '../../text.ts'
import { sources } from '../index.ts'
import { MethodSelect } from './MethodSelect.tsx'
import { QueryFields, QueryPreview } from './QueryFields.tsx'

type Form = UseFormReturnType<StateForm>

/** Maximum sources of an aggregate, as in the contract. */
const sourcesMax = 500

/** States of an aggregate, by list or by query, how they are combined, and the value now. */
export function AggregateFields(props: { form: Form; state?: State; objectId?: number }) {
  const { form, state, objectId } = props
  const { t } = useTranslation()
  const { by } = form.values
  return (
    <>
      <SegmentedControl
        aria-label={t('states.by')}
        fullWidth
        data={(['list', 'query'] as const).map((each) => ({ value: each, label: t(`states.bys.${each}`) }))}
        value={by}
        onChange={(next) => form.setFieldValue('by', next as StateForm['by'])}
      />
      {by === 'list' ? <ListFields form={form} {...(state ? { state } : {})} /> : <QueryFields form={form} />}
      <MethodSelect form={form} />
      <StaleFields form={form} />
      {by === 'list' ? <ListPreview form={form} /> : null}
      {by === 'query' && objectId !== undefined ? (
        <QueryPreview form={form} objectId={objectId} {...(state ? { state } : {})} />
      ) : null}
    </>
  )
}

function ListFields({ form, state }: { form: Form; state?: State }) {
  const { t } = useTranslation()
  const { stateIds, source } = form.values
  const { of } = sources[source]
  const loop = useQuery({
    ...api.state.checkForAggregateLoop.queryOptions({ input: { stateId: state?.id ?? 0, stateIds } }),
    enabled: state !== undefined && stateIds.length > 0,
  })
  return (
    <StateMultiPicker
      label={t('states.aggregateOf')}
      placeholder={t('states.searchState')}
      value={stateIds}
      onChange={(ids) => form.setFieldValue('stateIds', ids)}
      max={sourcesMax}
      error={form.errors.stateIds ?? (loop.data?.loop ? t('errors.AGGREGATE_LOOP') : null)}
      {...(of === undefined ? {} : { category: of })}
      {...(state ? { without: [state.id] } : {})}
    />
  )
}

function ListPreview({ form }: { form: Form }) {
  const { t } = useTranslation()
  const { stateIds, method, unit, decimals } = form.values
  const preview = useQuery({
    ...api.state.aggregateValue.queryOptions({ input: { stateIds, method } }),
    enabled: stateIds.length > 0,
    placeholderData: keepPreviousData,
  })
  return (
    <>
      {stateIds.length > 0 && preview.data ? (
        <Text size="sm" c="dimmed" aria-live="polite">
          {t('states.preview', {
            value: stateText(preview.data.value, { unit, decimals: decimals === '' ? null : decimals }),
            count: preview.data.inputs.filter((input) => input.value !== null).length,
            total: stateIds.length,
          })}
        </Text>
      ) : null}
      {preview.isError ? <ErrorText error={preview.error} /> : null}
    </>
  )
}

/** What a state counts that has had no new value for a time. */
function StaleFields({ form }: { form: Form }) {
  const { t } = useTranslation()
  const { staleCounts } = form.values
  return (
    <SimpleGrid cols={staleCounts === 'used' ? 1 : { base: 1, xs: 2 }}>
      <Select
        label={t('states.stale')}
        allowDeselect={false}
        data={(['used', 'dropped', 'unknown'] as const).map((each) => ({
          value: each,
          label: t(`states.stales.${each}`),
        }))}
        value={staleCounts}
        onChange={(next) => form.setFieldValue('staleCounts', (next ?? 'used') as StateForm['staleCounts'])}
      />
      {staleCounts === 'used' ? null : (
        <NumberInput
          label={t('states.staleMinutes')}
          min={1}
          max={525_600}
          allowDecimal={false}
          required
          {...form.getInputProps('staleMinutes')}
        />
      )}
    </SimpleGrid>
  )
}
