import type { AggregationMethod } from '@leitstand/contract/series'
import type { StateSource as SourceName, State } from '@leitstand/contract/states'
import { NumberInput, Select, SimpleGrid, Text, TextInput, Title } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { methods } from '../history/query.ts'
import type { Category, StateForm } from './form.ts'
import { StateMultiPicker } from './StatePicker.tsx'
import { sources, sourcesFor } from './sources/index.ts'
import { TimeseriesFields } from './sources/timeseries-aggregate/TimeseriesFields.tsx'
import { stateText } from './text.ts'

type Form = UseFormReturnType<StateForm>

/** Maximum sources of an aggregate, as in the contract. */
const sourcesMax = 500

/** Source of a state's value, and the fields for it. */
export function StateSource(props: {
  form: Form
  accountId: number
  category: Category
  state?: State
  sources?: readonly SourceName[]
  /** picker for an aggregate's source states, if they are not stored ones */
  sourcesPicker?: (form: Form) => ReactNode
}) {
  const { form, accountId, category, state } = props
  const { t } = useTranslation()
  const { source } = form.values
  const { fields } = sources[source]
  return (
    <>
      <Title order={3}>{t('states.source')}</Title>
      <Select
        label={t('states.sourceLabel')}
        description={t(`states.sourceHints.${source}`)}
        allowDeselect={false}
        data={(props.sources ?? sourcesFor(category, state?.source)).map((each) => ({
          value: each,
          label: t(`states.sources.${each}`),
        }))}
        value={source}
        onChange={(next) => form.setFieldValue('source', (next ?? 'none') as SourceName)}
      />
      {fields === 'connector' ? (
        <ConnectorFields form={form} accountId={accountId} category={category} />
      ) : null}
      {fields !== 'aggregate' ? null : props.sourcesPicker ? (
        <>
          {props.sourcesPicker(form)}
          <MethodSelect form={form} />
        </>
      ) : (
        <AggregateFields form={form} {...(state ? { state } : {})} />
      )}
      {fields === 'timeseries' ? <TimeseriesFields form={form} {...(state ? { state } : {})} /> : null}
      {fields === 'random' ? (
        <SimpleGrid cols={3}>
          <NumberInput label={t('states.min')} required {...form.getInputProps('min')} />
          <NumberInput label={t('states.max')} required {...form.getInputProps('max')} />
          <NumberInput
            label={t('states.everySeconds')}
            min={1}
            max={86_400}
            allowDecimal={false}
            {...form.getInputProps('everySeconds')}
          />
        </SimpleGrid>
      ) : null}
    </>
  )
}

function ConnectorFields({
  form,
  accountId,
  category,
}: {
  form: Form
  accountId: number
  category: Category
}) {
  const { t } = useTranslation()
  const can = useCan()
  const variable = (
    <TextInput
      label={t('states.variable')}
      description={t('states.variableHint')}
      placeholder={form.values.key}
      {...form.getInputProps('variable')}
    />
  )
  if (category === 'virtualDevice') return variable
  return (
    <>
      {can('VirtualDevice', 'read') || can('VirtualDevice', 'manage') ? (
        <EntityPicker
          label={t('states.connector')}
          required
          value={form.values.connectorId}
          onChange={(id) => form.setFieldValue('connectorId', id)}
          error={form.errors.connectorId}
          load={async (search) => {
            const accountIds = [accountId]
            const { items } = await client.bridge.list({
              limit: 20,
              accountIds,
              ...(search ? { search } : {}),
            })
            return items.map((connector) => ({ value: String(connector.id), label: connector.name }))
          }}
          labelOf={async (id) => {
            const { items } = await client.bridge.list({ limit: 1000, accountIds: [accountId] })
            return items.find((connector) => String(connector.id) === id)?.name ?? id
          }}
        />
      ) : (
        <TextInput
          label={t('states.connectorId')}
          description={t('states.connectorIdHint')}
          required
          value={form.values.connectorId ?? ''}
          onChange={(event) =>
            form.setFieldValue('connectorId', event.currentTarget.value.replace(/\D/g, '') || null)
          }
          error={form.errors.connectorId}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t('states.identifier')}
          description={t('states.identifierHint')}
          required
          {...form.getInputProps('identifier')}
        />
        {variable}
      </SimpleGrid>
    </>
  )
}

function AggregateFields({ form, state }: { form: Form; state?: State }) {
  const { t } = useTranslation()
  const { stateIds, method, source } = form.values
  const { of } = sources[source]
  const preview = useQuery({
    ...api.state.aggregateValue.queryOptions({ input: { stateIds, method } }),
    enabled: stateIds.length > 0,
    placeholderData: keepPreviousData,
  })
  const loop = useQuery({
    ...api.state.checkForAggregateLoop.queryOptions({ input: { stateId: state?.id ?? 0, stateIds } }),
    enabled: state !== undefined && stateIds.length > 0,
  })
  return (
    <>
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
      <MethodSelect form={form} />
      {stateIds.length > 0 && preview.data ? (
        <Text size="sm" c="dimmed" aria-live="polite">
          {t('states.preview', {
            value: stateText(preview.data.value, {
              unit: form.values.unit,
              decimals: form.values.decimals === '' ? null : form.values.decimals,
            }),
            count: preview.data.inputs.filter((input) => input.value !== null).length,
            total: stateIds.length,
          })}
        </Text>
      ) : null}
      {preview.isError ? <ErrorText error={preview.error} /> : null}
    </>
  )
}

function MethodSelect({ form }: { form: Form }) {
  const { t } = useTranslation()
  return (
    <Select
      label={t('states.method')}
      allowDeselect={false}
      data={methods.map((each) => ({ value: each, label: t(`series.methods.${each}`) }))}
      value={form.values.method}
      onChange={(next) => form.setFieldValue('method', (next ?? 'avg') as AggregationMethod)}
    />
  )
}
