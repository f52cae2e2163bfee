import type { State, WindowOperation } from '@leitstand/contract/states'
import { type PeriodUnit, periodLimits, periodUnits } from '@leitstand/contract/states/periods'
import { timeRanges } from '@leitstand/contract/timeRanges'
import { Checkbox, NumberInput, Select, SimpleGrid, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../../../lib/api.ts'
import { formatTimeShort } from '../../../../../lib/format.ts'
import { ErrorText } from '../../../../../ui/feedback/ErrorText.tsx'
import { methods } from '../../../history/query.ts'
import type { StateForm } from '../../form.ts'
import { StatePicker } from '../../StatePicker.tsx'
import { stateText } from '../../text.ts'
import { timeseriesAggregate } from './index.ts'

type Form = UseFormReturnType<StateForm>

/** Source state, operation and period of an aggregate of a time series, with its value now. */
export function TimeseriesFields({ form, state }: { form: Form; state?: State }) {
  const { t } = useTranslation()
  const { stateIds, operation, period } = form.values
  return (
    <>
      <StatePicker
        label={t('states.seriesOf')}
        placeholder={t('states.searchState')}
        required
        value={stateIds[0] ?? null}
        onChange={(id) => form.setFieldValue('stateIds', id === null ? [] : [id])}
        error={form.errors.stateIds}
        {...(state ? { without: [state.id] } : {})}
      />
      <Select
        label={t('states.operation')}
        description={t(`states.operationHints.${hintOf(operation)}`)}
        allowDeselect={false}
        data={[
          ...methods.map((each) => ({ value: each, label: t(`series.methods.${each}`) })),
          ...(['periodDifference', 'valueDifference'] as const).map((each) => ({
            value: each,
            label: t(`states.operations.${each}`),
          })),
        ]}
        value={operation}
        onChange={(next) => form.setFieldValue('operation', (next ?? 'avg') as WindowOperation)}
      />
      {operation === 'valueDifference' ? null : (
        <>
          <SimpleGrid cols={period === 'own' ? { base: 1, xs: 3 } : 1}>
            <Select
              label={t('states.period')}
              allowDeselect={false}
              data={[...timeRanges, 'own' as const].map((each) => ({
                value: each,
                label: t(`states.periods.${each}`),
              }))}
              value={period}
              onChange={(next) => form.setFieldValue('period', (next ?? '24h') as StateForm['period'])}
            />
            {period === 'own' ? (
              <>
                <NumberInput
                  label={t('states.periodCount')}
                  min={1}
                  max={periodLimits.countMax}
                  allowDecimal={false}
                  {...form.getInputProps('periodCount')}
                />
                <Select
                  label={t('states.periodUnit')}
                  allowDeselect={false}
                  data={periodUnits.map((unit) => ({
                    value: unit,
                    label: t(`states.periodUnits.${unit}`),
                  }))}
                  value={form.values.periodUnit}
                  onChange={(next) => form.setFieldValue('periodUnit', (next ?? 'hour') as PeriodUnit)}
                />
              </>
            ) : null}
          </SimpleGrid>
          <Checkbox
            label={t('states.aligned')}
            description={t('states.alignedHint')}
            {...form.getInputProps('aligned', { type: 'checkbox' })}
          />
        </>
      )}
      <Preview form={form} />
    </>
  )
}

const hintOf = (operation: WindowOperation) =>
  operation === 'periodDifference' || operation === 'valueDifference' ? operation : 'method'

function Preview({ form: { values } }: { form: Form }) {
  const { t } = useTranslation()
  const settings = timeseriesAggregate.settings(values)
  const isComplete = Object.keys(timeseriesAggregate.faults(values, 'digitalTwin')).length === 0
  const preview = useQuery({
    ...api.state.windowValue.queryOptions({ input: settings }),
    enabled: isComplete,
    placeholderData: keepPreviousData,
  })
  if (!isComplete) return null
  if (preview.isError) return <ErrorText error={preview.error} />
  if (!preview.data) return null
  const { value, period, count } = preview.data
  const shown = stateText(value, {
    unit: values.unit,
    decimals: values.decimals === '' ? null : values.decimals,
  })
  return (
    <Text size="sm" c="dimmed" aria-live="polite">
      {period === null
        ? t('states.seriesPreview', { value: shown })
        : t('states.periodPreview', { value: shown, count, from: formatTimeShort(period.from) })}
    </Text>
  )
}
