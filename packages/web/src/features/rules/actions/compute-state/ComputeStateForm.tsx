import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { TargetState } from '../TargetState.tsx'
import type { FormProps } from '../types.ts'
import type { ComputeStateDraft } from './index.ts'

export default function ComputeStateForm({
  action,
  states,
  objectId,
  faultAt,
  onChange,
}: FormProps<ComputeStateDraft>) {
  const { t } = useTranslation()
  return (
    <>
      <TargetState
        label={t('rules.computedState')}
        target={action}
        states={states}
        isOfTemplate={objectId === undefined}
        error={faultAt('stateId')}
        onChange={(target) => onChange({ ...action, ...target })}
      />
      <Text size="xs" c="dimmed">
        {t('rules.computeHint')}
      </Text>
    </>
  )
}
