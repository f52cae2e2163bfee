import type { AggregationMethod } from '@leitstand/contract/series'
import { Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { methods } from '../../../history/query.ts'
import type { StateForm } from '../../form.ts'

/** How an aggregate combines its states. */
export function MethodSelect({ form }: { form: UseFormReturnType<StateForm> }) {
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
