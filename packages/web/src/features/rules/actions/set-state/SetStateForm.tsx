import { SegmentedControl, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { OperandField } from '../../OperandField.tsx'
import classes from '../../rules.module.css'
import { ScriptField } from '../ScriptField.tsx'
import { TargetState } from '../TargetState.tsx'
import type { FormProps } from '../types.ts'
import type { SetStateDraft } from './index.ts'

export default function SetStateForm(props: FormProps<SetStateDraft>) {
  const { action, states, aliases, objectId, faultAt, onChange } = props
  const { t } = useTranslation()
  const { value } = action
  const choose = (how: string) =>
    onChange({
      ...action,
      value: how === 'script' ? { script: `return ${aliases[0] ?? 0}` } : { value: 0 },
    })
  return (
    <>
      <div className={classes.entryHead}>
        <TargetState
          label={t('rules.targetState')}
          target={action}
          states={states}
          isOfTemplate={objectId === undefined}
          error={faultAt('stateId')}
          onChange={(target) => onChange({ ...action, ...target })}
        />
        <div>
          <Text size="sm" fw={500} mb={4}>
            {t('rules.targetValue')}
          </Text>
          <SegmentedControl
            size="xs"
            mb={4}
            aria-label={t('rules.targetValue')}
            data={(['chosen', 'script'] as const).map((how) => ({
              value: how,
              label: t(`rules.valueFrom.${how}`),
            }))}
            value={'script' in value ? 'script' : 'chosen'}
            onChange={choose}
          />
          {'script' in value ? null : (
            <OperandField
              label={t('rules.targetValue')}
              value={value}
              aliases={aliases}
              onChange={(chosen) => onChange({ ...action, value: chosen })}
              nullable={false}
            />
          )}
          {faultAt('value') && !('script' in value) ? (
            <Text size="xs" c="var(--health-error)" role="alert">
              {faultAt('value')}
            </Text>
          ) : null}
        </div>
      </div>
      {'script' in value ? (
        <ScriptField
          label={t('rules.targetValue')}
          hint={t('rules.valueScriptHint')}
          value={value.script}
          aliases={aliases}
          error={faultAt('value')}
          onChange={(script) => onChange({ ...action, value: { script } })}
        />
      ) : null}
    </>
  )
}
