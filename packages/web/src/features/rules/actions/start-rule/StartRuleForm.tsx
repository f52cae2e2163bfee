import { useTranslation } from 'react-i18next'
import { RulePicker } from '../../RulePicker.tsx'
import type { FormProps } from '../types.ts'
import type { StartRuleDraft } from './index.ts'

export default function StartRuleForm({ accountId, action, faultAt, onChange }: FormProps<StartRuleDraft>) {
  const { t } = useTranslation()
  return (
    <RulePicker
      label={t('rules.startedRule')}
      description={t('rules.startRuleHint')}
      required
      accountId={accountId}
      value={action.ruleId}
      onChange={(ruleId) => onChange({ ...action, ruleId })}
      error={faultAt('ruleId')}
    />
  )
}
