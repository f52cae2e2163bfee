import type { EmailAction } from '@leitstand/contract/rules/actions/email'
import { Alert, Group, MultiSelect, Select } from '@mantine/core'
import { IconMailOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { api } from '../../../../lib/api.ts'
import { useCan } from '../../../../lib/session.ts'
import { Icon } from '../../../../ui/display/Icon.tsx'
import { RouterLink } from '../../../../ui/page/RouterLink.tsx'
import { PlaceholderHint } from '../PlaceholderHint.tsx'
import { TextField } from '../TextField.tsx'
import type { FormProps } from '../types.ts'
import { RecipientStates } from './RecipientStates.tsx'
import { RecipientsField } from './RecipientsField.tsx'

/** Maximum number of recipients and of charts, as in the contract. */
const recipientsMax = 50
const chartsMax = 3
/** Periods that charts can be chosen to show. */
const chartHours = [1, 6, 24, 72, 168, 744] as const
const hoursFirst = 24

export default function EmailForm({
  ruleId,
  accountId,
  action,
  aliases,
  charted,
  faultAt,
  onChange,
}: FormProps<EmailAction>) {
  const { t } = useTranslation()
  return (
    <>
      <NoMailServer accountId={accountId} />
      <RecipientsField
        accountId={accountId}
        max={recipientsMax}
        value={action.recipients}
        onChange={(recipients) => onChange({ ...action, recipients })}
        error={faultAt('recipients')}
        description={t('rules.recipientsOutside')}
      />
      {ruleId === undefined ? null : <RecipientStates ruleId={ruleId} addresses={action.recipients} />}
      <TextField
        label={t('rules.subject')}
        required
        value={action.subject}
        maxLength={200}
        aliases={aliases}
        error={faultAt('subject')}
        onChange={(subject) => onChange({ ...action, subject })}
      />
      <TextField
        label={t('rules.body')}
        multiline
        value={action.body}
        maxLength={4000}
        aliases={aliases}
        error={faultAt('body')}
        onChange={(body) => onChange({ ...action, body })}
      />
      <PlaceholderHint aliases={aliases} />
      <ChartFields
        charts={action.charts}
        charted={charted}
        error={faultAt('charts')}
        onChange={(charts) => onChange({ ...withoutCharts(action), ...(charts ? { charts } : {}) })}
      />
    </>
  )
}

function withoutCharts({ charts: _, ...action }: EmailAction): EmailAction {
  return action
}

interface ChartFieldsProps {
  charts: EmailAction['charts']
  charted: readonly string[]
  error: string | null
  onChange: (charts: EmailAction['charts']) => void
}

/** The inputs that the mail shows as charts, and over which period. */
function ChartFields({ charts, charted, error, onChange }: ChartFieldsProps) {
  const { t } = useTranslation()
  const chosen = charts?.metrics ?? []
  const hours = charts?.hours ?? hoursFirst
  // What can no longer be drawn stays visible, so that it can be removed.
  const options = [...new Set([...charted, ...chosen])]
  const periods = [...new Set<number>([...chartHours, hours])].sort((one, other) => one - other)
  if (options.length === 0) return null
  return (
    <Group align="flex-start" grow preventGrowOverflow={false} wrap="wrap">
      <MultiSelect
        label={t('rules.mailCharts')}
        description={t('rules.mailChartsHint')}
        data={options}
        value={chosen}
        maxValues={chartsMax}
        error={error}
        miw={220}
        onChange={(metrics) => onChange(metrics.length === 0 ? undefined : { metrics, hours })}
      />
      {chosen.length === 0 ? null : (
        <Select
          label={t('rules.mailChartPeriod')}
          description={t('rules.mailChartPeriodHint')}
          data={periods.map((each) => ({ value: String(each), label: periodText(t, each) }))}
          value={String(hours)}
          allowDeselect={false}
          miw={180}
          onChange={(value) => onChange({ metrics: chosen, hours: Number(value) })}
        />
      )}
    </Group>
  )
}

function periodText(t: TFunction, hours: number): string {
  return hours % 24 === 0
    ? t('rules.chartDays', { count: hours / 24 })
    : t('rules.chartHours', { count: hours })
}

/** Says that no mail of the rule would be sent, and leads those who can change it to the mail server. */
export function NoMailServer({ accountId }: { accountId: number }) {
  const { t } = useTranslation()
  const can = useCan()
  const delivery = useQuery(
    api.ddr.mailDelivery.queryOptions({ input: { accountId }, enabled: can('DigitalTwin', 'write') }),
  )
  if (delivery.data?.hasServer !== false) return null
  return (
    <Alert color="yellow" icon={<Icon of={IconMailOff} />} title={t('rules.noMailServer')}>
      {t('rules.noMailServerText')}{' '}
      {can('all', 'manage') ? (
        <RouterLink to={`/account-mgmt/${accountId}?tab=mail`}>{t('rules.setUpMailServer')}</RouterLink>
      ) : null}
    </Alert>
  )
}
