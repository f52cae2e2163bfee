import { retentionMonthsDefault } from '@leitstand/contract/accounts'
import { NumberInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import fields from '../../ui/forms/fields.module.css'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './accounts.module.css'
import { type AccountValues, placeOf } from './accountValues.ts'
import { bulkDefault, bulkHint, leastOf, limitHint, mailHint } from './limitHints.ts'
import { type Account, accountPath } from './queries.ts'

type Limited = Account['limits']['csvExport']

type LimitName = keyof AccountValues['bounds']

/** Limits set by the accounts above; read-only for users who may not change them. */
export function LimitSection(props: {
  id: string
  account: Account
  form: UseFormReturnType<AccountValues>
}) {
  const { t } = useTranslation()
  const system = useCan()('super.system', 'manage')
  const { id, account, form } = props
  const { csvExport, devices, templates, files, bulk, ruleMails } = account.limits
  const mails = leastOf(ruleMails.value, account.ruleMailsDefault)
  const hintOf = (limit: Limited) => limitHint(t, limit, account)
  const perSecond = account.messagesPerSecond
  const used = t('accounts.limit.used', { count: devices.used })
  const usedBytes = t('accounts.limit.usedBytes', { size: formatBytes(files.used) })
  return (
    <Section
      id={id}
      title={t('accounts.section.limits')}
      description={t('accounts.limit.hint')}
      actions={
        account.editable ? (
          <RouterLink to={`${accountPath(account.id)}?tab=limits`}>{t('limitHits.look')}</RouterLink>
        ) : undefined
      }
    >
      <div className={fields.fitted}>
        <Limit
          name="devices"
          form={form}
          open={account.limitsEditable}
          max={10_000_000}
          hint={`${used} ${hintOf(devices)}`}
          shown={devices.value === null ? t('accounts.limit.none') : formatNumber(devices.value)}
        />
        <Limit
          name="templates"
          form={form}
          open={account.limitsEditable}
          max={1_000_000}
          hint={hintOf(templates)}
          shown={templates.value === null ? t('accounts.limit.none') : formatNumber(templates.value)}
        />
        <Limit
          name="fileMegabytes"
          form={form}
          open={account.limitsEditable}
          max={1_000_000}
          hint={`${usedBytes} ${hintOf(files)}`}
          shown={files.value === null ? t('accounts.limit.none') : formatNumber(files.value)}
        />
        <Limit
          name="bulkDevices"
          form={form}
          open={account.limitsEditable}
          min={1}
          max={50_000}
          hint={bulkHint(t, bulk, account)}
          shown={formatNumber(bulk.value ?? bulkDefault)}
        />
        <Limit
          name="csvRows"
          form={form}
          open={account.limitsEditable}
          min={1}
          max={100_000_000}
          hint={hintOf(csvExport)}
          shown={csvExport.value === null ? t('accounts.limit.none') : formatNumber(csvExport.value)}
        />
        <Limit
          name="ruleMails"
          form={form}
          open={account.limitsEditable}
          max={1_000_000}
          hint={`${t('accounts.limit.usedMails', { count: ruleMails.used })} ${mailHint(t, account)}`}
          shown={mails === null ? t('accounts.limit.none') : formatNumber(mails)}
        />
        <Limit
          name="retentionMonths"
          form={form}
          open={system}
          min={1}
          max={1200}
          hint={t(`accounts.retentionHint.${placeOf(account)}`, {
            months: t('accounts.months', {
              count: account.parentId === null ? retentionMonthsDefault : account.retentionMonths,
            }),
          })}
          shown={t('accounts.months', { count: account.retentionMonths })}
        />
        <Limit
          name="messagesPerSecond"
          form={form}
          open={system}
          max={100_000}
          hint={t('accounts.limit.messagesHint')}
          shown={
            perSecond === null
              ? t('accounts.limit.platform')
              : perSecond === 0
                ? t('accounts.limit.none')
                : formatNumber(perSecond)
          }
        />
      </div>
    </Section>
  )
}

interface LimitProps {
  name: LimitName
  form: UseFormReturnType<AccountValues>
  /** whether the user may change it */
  open: boolean
  min?: number
  max: number
  hint: string
  /** effective value, for users who may not change it */
  shown: string
}

function Limit({ name, form, open, min = 0, max, hint, shown }: LimitProps) {
  const { t } = useTranslation()
  const label = t(`accounts.field.${name}`)
  if (!open)
    return (
      <div>
        <Fact label={label}>{shown}</Fact>
        <div className={classes.hint}>
          {name === 'retentionMonths' || name === 'messagesPerSecond' ? null : hint}
        </div>
      </div>
    )
  return (
    <NumberInput
      label={label}
      description={hint}
      min={min}
      max={max}
      allowDecimal={false}
      value={form.values.bounds[name] ?? ''}
      onChange={(value) => form.setFieldValue(`bounds.${name}`, typeof value === 'number' ? value : null)}
      error={form.errors[`bounds.${name}`]}
    />
  )
}
