import type { ResolveAlarmAction } from '@leitstand/contract/rules/actions/resolve-alarm'
import { useTranslation } from 'react-i18next'
import { RulePicker } from '../../RulePicker.tsx'
import type { FormProps } from '../types.ts'

export default function ResolveAlarmForm({
  accountId,
  action,
  faultAt,
  onChange,
}: FormProps<ResolveAlarmAction>) {
  const { t } = useTranslation()
  return (
    <RulePicker
      label={t('rules.alarmOf')}
      placeholder={t('rules.ownAlarm')}
      description={t('rules.resolveHint')}
      accountId={accountId}
      value={action.ruleId}
      onChange={(ruleId) => onChange({ ...action, ruleId })}
      error={faultAt('ruleId')}
    />
  )
}
