import {
  type AlarmReport,
  alarmReportLimits,
  alarmReportPeriods,
  alarmReportTypes,
} from '@leitstand/contract/alarmReports'
import { Checkbox, Fieldset, Input, Radio, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, client, queryClient } from '../../lib/api.ts'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { ConnectorField, RecipientsField, Weekdays } from '../rules/index.ts'
import { conditionsOfType, typeChange, type Values, withBelow } from './values.ts'

export interface StepProps {
  values: Values
  set: (change: Partial<Values>) => void
  /** the fault of a field that is to be shown */
  faultAt: (field: string) => string | null
  isNew: boolean
}

const zones = Intl.supportedValuesOf('timeZone')
const offeredMax = 20

/** What it is about: name, group and type. */
export function WhatStep({ values, set, faultAt, isNew }: StepProps) {
  const { t } = useTranslation()
  const { data } = useAccounts()
  const accounts = data?.items ?? []
  const { accountId } = values
  const findGroups = async (search: string) => {
    const tenantIds = accountId === null ? [] : withBelow(accounts, Number(accountId)).slice(0, 1000)
    const input = { search, tenantIds, limit: offeredMax }
    const { items } = await client.smartGroup.list(input)
    return items.map(({ id, title, accountId: of, accountName }) => ({
      value: String(id),
      label: String(of) === accountId ? title : `${title} (${accountName})`,
    }))
  }
  return (
    <Stack gap="md" maw={560}>
      <TextInput
        label={t('alarmReports.title')}
        placeholder={t('alarmReports.titleHint')}
        required
        autoComplete="off"
        data-autofocus
        value={values.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        error={faultAt('title')}
      />
      {isNew && accounts.length !== 1 ? (
        <AccountSelect
          label={t('alarmReports.account')}
          description={t('alarmReports.accountHint')}
          required
          value={accountId}
          onChange={(chosen) => set({ accountId: chosen, groupId: null, connectorId: null })}
          error={faultAt('accountId')}
        />
      ) : null}
      <EntityPicker
        key={`${accountId} ${accounts.length}`}
        label={t('alarmReports.group')}
        description={t('alarmReports.groupHint')}
        nothing={t('alarmReports.noGroup')}
        required
        disabled={accountId === null}
        value={values.groupId}
        load={findGroups}
        labelOf={async (id) =>
          (await queryClient.fetchQuery(api.smartGroup.get.queryOptions({ input: { id: Number(id) } }))).title
        }
        onChange={(groupId) => set({ groupId })}
        error={faultAt('groupId')}
      />
      <Radio.Group
        label={t('alarmReports.type')}
        value={values.type}
        onChange={(type) => set(typeChange(values, type as AlarmReport['type']))}
      >
        <Stack gap={8} mt={6}>
          {alarmReportTypes.map((type) => (
            <Radio
              key={type}
              value={type}
              label={t(`alarmReports.types.${type}`)}
              description={t(`alarmReports.typeHints.${type}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
    </Stack>
  )
}

/** When it is sent: condition, days and zone. */
export function WhenStep({ values, set, faultAt }: StepProps) {
  const { t } = useTranslation()
  const { always, conditions } = values
  return (
    <Stack gap="md" maw={560}>
      <Radio.Group
        label={t('alarmReports.condition')}
        value={always ? 'always' : 'some'}
        onChange={(value) => set({ always: value === 'always' })}
      >
        <Stack gap={8} mt={6}>
          <Radio value="always" label={t('alarmReports.always')} />
          <Radio value="some" label={t('alarmReports.some')} />
        </Stack>
      </Radio.Group>
      {always ? null : (
        <Checkbox.Group
          aria-label={t('alarmReports.condition')}
          value={conditions}
          onChange={(chosen) => set({ conditions: chosen as Values['conditions'] })}
          error={faultAt('conditions')}
          pl={28}
        >
          <Stack gap={8}>
            {conditionsOfType[values.type].map((condition) => (
              <Checkbox key={condition} value={condition} label={t(`alarmReports.conditions.${condition}`)} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <Input.Wrapper
        label={t('alarmReports.weekdays')}
        description={t('alarmReports.weekdaysHint')}
        error={faultAt('weekdays')}
        labelElement="div"
      >
        <div style={{ marginBlock: 6 }}>
          <Weekdays days={values.weekdays} onChange={(weekdays) => set({ weekdays })} />
        </div>
      </Input.Wrapper>
      <Select
        label={t('alarmReports.timeZone')}
        data={zones.includes(values.timeZone) ? zones : [values.timeZone, ...zones]}
        searchable
        allowDeselect={false}
        value={values.timeZone}
        onChange={(timeZone) => timeZone !== null && set({ timeZone })}
        error={faultAt('timeZone')}
        nothingFoundMessage={t('common.nothingFound')}
      />
      <Select
        label={t('alarmReports.period')}
        description={t('alarmReports.periodHint')}
        data={alarmReportPeriods.map((value) => ({ value, label: t(`alarmReports.periods.${value}`) }))}
        allowDeselect={false}
        value={values.period}
        onChange={(period) => set({ period: period as Values['period'] })}
      />
    </Stack>
  )
}

/** Who gets it: recipients of the mail, and a connector. */
export function WhoStep({ values, set, faultAt }: StepProps) {
  const { t } = useTranslation()
  const accountId = Number(values.accountId)
  const { way } = values
  return (
    <Stack gap="md" maw={560}>
      <Fieldset legend={t('alarmReports.mail')}>
        <Stack gap="sm">
          <Switch
            label={t('alarmReports.byMail')}
            description={t('alarmReports.byMailHint')}
            checked={values.byMail}
            onChange={(event) => set({ byMail: event.currentTarget.checked })}
          />
          {values.byMail ? (
            <RecipientsField
              accountId={accountId}
              value={values.recipients}
              max={alarmReportLimits.recipientsMax}
              onChange={(recipients) => set({ recipients })}
              error={faultAt('recipients')}
              description={t('alarmReports.recipientsHint')}
            />
          ) : null}
        </Stack>
      </Fieldset>
      <Fieldset legend={t('alarmReports.connector')}>
        <Stack gap="sm">
          <Select
            label={t('alarmReports.way')}
            description={t('alarmReports.wayHint')}
            data={(['none', 'webhook', 'broker'] as const).map((value) => ({
              value,
              label: t(`alarmReports.ways.${value}`),
            }))}
            allowDeselect={false}
            value={way}
            onChange={(value) => set({ way: value as Values['way'], connectorId: null })}
            error={faultAt('way')}
          />
          {way === 'none' ? null : (
            <ConnectorField
              accountId={accountId}
              capability={way === 'webhook' ? 'outgoing' : 'commands'}
              value={values.connectorId}
              onChange={(connectorId) => set({ connectorId })}
              error={faultAt('connectorId')}
            />
          )}
          {way === 'broker' ? (
            <TextInput
              label={t('alarmReports.topic')}
              placeholder="reports/daily"
              required
              value={values.topic}
              onChange={(event) => set({ topic: event.currentTarget.value })}
              error={faultAt('topic')}
            />
          ) : null}
        </Stack>
      </Fieldset>
      <Switch
        label={t('alarmReports.active')}
        description={t('alarmReports.activeHint')}
        checked={values.active}
        onChange={(event) => set({ active: event.currentTarget.checked })}
      />
      <Text size="sm" c="dimmed">
        {t('alarmReports.dayHint')}
      </Text>
    </Stack>
  )
}
