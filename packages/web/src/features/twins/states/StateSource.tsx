import { receivingKinds } from '@leitstand/contract/connectors/kinds/names'
import type { StateSource as SourceName, State } from '@leitstand/contract/states'
import { NumberInput, Select, SimpleGrid, TextInput, Title } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import type { Category, StateForm } from './form.ts'
import { AggregateFields } from './sources/aggregate/AggregateFields.tsx'
import { MethodSelect } from './sources/aggregate/MethodSelect.tsx'
import { sources, sourcesFor } from './sources/index.ts'
import { FigureNow } from './sources/system/FigureNow.tsx'
import { TimeseriesFields } from './sources/timeseries-aggregate/TimeseriesFields.tsx'

type Form = UseFormReturnType<StateForm>

/** Source of a state's value, and the fields for it. */
export function StateSource(props: {
  form: Form
  accountId: number
  category: Category
  state?: State
  /** the twin or device; absent in templates */
  objectId?: number
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
        <AggregateFields
          form={form}
          {...(state ? { state } : {})}
          {...(props.objectId === undefined ? {} : { objectId: props.objectId })}
        />
      )}
      {fields === 'timeseries' ? <TimeseriesFields form={form} {...(state ? { state } : {})} /> : null}
      {fields === 'system' ? (
        <Select
          label={t('states.figure')}
          description={t('states.figureHint')}
          allowDeselect={false}
          data={(['devices', 'devicesWithErrors', 'lastSeen', 'packetsPerDay', 'freeDisk'] as const).map(
            (each) => ({ value: each, label: t(`states.figures.${each}`) }),
          )}
          value={form.values.figure}
          onChange={(next) => {
            const figure = (next ?? 'devices') as StateForm['figure']
            form.setFieldValue('figure', figure)
            form.setFieldValue('valueType', figure === 'lastSeen' ? 'text' : 'number')
          }}
        />
      ) : null}
      {fields === 'system' && props.objectId !== undefined ? (
        <FigureNow twinId={props.objectId} figure={form.values.figure} unit={form.values.unit} />
      ) : null}
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
              kinds: receivingKinds,
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
