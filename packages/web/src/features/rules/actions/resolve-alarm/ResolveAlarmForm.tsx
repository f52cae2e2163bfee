import type { ResolveAlarmAction } from '@leitstand/contract/rules/actions/resolve-alarm'
import { useTranslation } from 'react-i18next'
import { client } from '../../../../lib/api.ts'
import { EntityPicker } from '../../../../ui/forms/EntityPicker.tsx'
import type { FormProps } from '../types.ts'

const label = ({ title, twinTitle }: { title: string; twinTitle: string }) => `${twinTitle} · ${title}`

export default function ResolveAlarmForm({
  accountId,
  action,
  faultAt,
  onChange,
}: FormProps<ResolveAlarmAction>) {
  const { t } = useTranslation()
  return (
    <EntityPicker
      label={t('rules.alarmOf')}
      placeholder={t('rules.ownAlarm')}
      description={t('rules.resolveHint')}
      value={action.ruleId === null ? null : String(action.ruleId)}
      onChange={(id) => onChange({ ...action, ruleId: id === null ? null : Number(id) })}
      load={async (search) => {
        const input = { limit: 20, accountIds: [accountId], ...(search ? { search } : {}) }
        const { items } = await client.ddr.overviewList(input)
        return items.map((rule) => ({ value: String(rule.id), label: label(rule) }))
      }}
      labelOf={async (id) => label(await client.ddr.get({ id: Number(id) }))}
      error={faultAt('ruleId')}
    />
  )
}
