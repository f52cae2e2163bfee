import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { OperandField } from '../../OperandField.tsx'
import classes from '../../rules.module.css'
import type { FormProps } from '../types.ts'
import type { SetStateDraft } from './index.ts'

export default function SetStateForm(props: FormProps<SetStateDraft>) {
  const { action, states, aliases, faultAt, onChange } = props
  const { t } = useTranslation()
  return (
    <div className={classes.entryHead}>
      {states.pick({
        label: t('rules.targetState'),
        value: action.stateId,
        onChange: (stateId) => onChange({ ...action, stateId }),
        error: faultAt('stateId'),
      })}
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t('rules.targetValue')}
        </Text>
        <OperandField
          label={t('rules.targetValue')}
          value={action.value}
          aliases={aliases}
          onChange={(value) => onChange({ ...action, value })}
          nullable={false}
        />
        {faultAt('value') ? (
          <Text size="xs" c="var(--health-error)" role="alert">
            {faultAt('value')}
          </Text>
        ) : null}
      </div>
    </div>
  )
}
