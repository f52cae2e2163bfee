import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { FormProps } from '../types.ts'
import type { ComputeStateDraft } from './index.ts'

export default function ComputeStateForm({
  action,
  states,
  faultAt,
  onChange,
}: FormProps<ComputeStateDraft>) {
  const { t } = useTranslation()
  return (
    <>
      {states.pick({
        label: t('rules.computedState'),
        value: action.stateId,
        onChange: (stateId) => onChange({ ...action, stateId }),
        error: faultAt('stateId'),
      })}
      <Text size="xs" c="dimmed">
        {t('rules.computeHint')}
      </Text>
    </>
  )
}
