import { MultiSelect, NumberInput, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { Fact } from '../../ui/Fact.tsx'
import { FormLayout } from '../../ui/FormLayout.tsx'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { Section } from '../../ui/Section.tsx'
import { TagInput } from '../../ui/TagInput.tsx'
import { useSyncedForm } from '../../ui/useSyncedForm.ts'
import { TwoFactorDemand } from '../auth/index.ts'
import { type AccountValues, checkAccount, toAccountInput, toAccountValues } from './account-values.ts'
import classes from './accounts.module.css'
import { type Account, invalidateAccounts, useRoles } from './queries.ts'

const zones = Intl.supportedValuesOf('timeZone')

/** What an account decides about itself. Who may not change it sees it. */
export function AccountTab({ account }: { account: Account }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const can = useCan()
  const form = useForm<AccountValues>({
    initialValues: toAccountValues(account),
    validate: checkAccount,
    validateInputOnBlur: true,
  })
  const { version, accept } = useSyncedForm(form, account, toAccountValues)
  const save = async (values: AccountValues) => {
    let saved = await client.tenant.update({ id: account.id, version, ...toAccountInput(values) })
    if (can('super.system', 'manage') && values.retention !== account.ownRetentionMonths)
      saved = await client.tenant.setRetention({
        ...{ id: account.id, version: saved.version, months: values.retention },
      })
    accept(saved)
    notifySuccess(t('accounts.savedNote'))
    await invalidateAccounts(cache)
  }
  const fixed = !account.editable
  return (
    <Stack gap="md">
      <FormLayout form={form} onSave={save}>
        <fieldset disabled={fixed} style={{ display: 'contents' }}>
          <Section title={t('accounts.section.general')}>
            <div className={classes.fields}>
              <TextInput label={t('accounts.field.name')} required {...form.getInputProps('name')} />
              <Select
                label={t('accounts.field.timeZone')}
                description={t('accounts.timeZoneHint')}
                data={zones}
                searchable
                allowDeselect={false}
                disabled={fixed}
                {...form.getInputProps('timeZone')}
              />
              <Textarea
                label={t('accounts.field.description')}
                autosize
                minRows={2}
                className={classes.wide ?? ''}
                {...form.getInputProps('description')}
              />
              <TagInput
                label={t('accounts.field.domains')}
                description={t('accounts.domainsHint')}
                value={form.values.domains}
                onChange={(domains) => form.setFieldValue('domains', domains)}
                error={form.errors.domains}
                disabled={fixed}
              />
              {can('super.system', 'manage') ? (
                <NumberInput
                  label={t('accounts.field.retention')}
                  description={t('accounts.retentionHint', { months: account.retentionMonths })}
                  min={1}
                  max={1200}
                  allowDecimal={false}
                  value={form.values.retention ?? ''}
                  onChange={(value) =>
                    form.setFieldValue('retention', typeof value === 'number' ? value : null)
                  }
                  error={form.errors.retention}
                />
              ) : (
                <Fact label={t('accounts.field.retention')}>
                  {t('accounts.months', { count: account.retentionMonths })}
                </Fact>
              )}
            </div>
          </Section>
          <Section title={t('accounts.section.password')} description={t('accounts.passwordHint')}>
            <Stack gap="sm" align="flex-start">
              <Switch
                label={t('accounts.ownPolicy')}
                {...form.getInputProps('ownPolicy', { type: 'checkbox' })}
              />
              {form.values.ownPolicy ? (
                <>
                  <NumberInput
                    label={t('accounts.field.minLength')}
                    min={8}
                    max={100}
                    allowDecimal={false}
                    {...form.getInputProps('minLength')}
                  />
                  {(['upperAndLower', 'numbers', 'special'] as const).map((name) => (
                    <Switch
                      key={name}
                      label={t(`accounts.policy.${name}`)}
                      {...form.getInputProps(name, { type: 'checkbox' })}
                    />
                  ))}
                </>
              ) : null}
            </Stack>
          </Section>
          <Section title={t('accounts.section.terms')} description={t('accounts.termsHint')}>
            <Stack gap="sm">
              <Textarea
                label={t('accounts.field.terms')}
                autosize
                minRows={3}
                maxRows={16}
                {...form.getInputProps('terms')}
              />
              <Switch
                label={t('accounts.renewConsent')}
                description={
                  account.consentSince
                    ? t('accounts.consentSince', { time: formatTime(account.consentSince) })
                    : undefined
                }
                {...form.getInputProps('renewConsent', { type: 'checkbox' })}
              />
            </Stack>
          </Section>
          <Section title={t('accounts.section.feedback')} description={t('accounts.feedbackHint')}>
            <div className={classes.fields}>
              {(['bug', 'featureRequest'] as const).map((name) => (
                <TagInput
                  key={name}
                  label={t(`accounts.field.${name}`)}
                  value={form.values[name]}
                  onChange={(addresses) => form.setFieldValue(name, addresses)}
                  error={form.errors[name]}
                  max={20}
                  disabled={fixed}
                />
              ))}
            </div>
          </Section>
        </fieldset>
      </FormLayout>
      {can('UserManagement', 'manage') && account.editable ? (
        <TwoFactorDemand accountId={account.id} />
      ) : null}
      {account.editable ? <DefaultRoles scopeId={account.scopeId} /> : null}
    </Stack>
  )
}

/** Roles new users get; saved at once. */
function DefaultRoles({ scopeId }: { scopeId: number }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const roles = useRoles()
  const chosen = useQuery(api.scope.listDefaultRoles.queryOptions({ input: { scopeId } }))
  const set = async (ids: string[]) => {
    try {
      const saved = await client.scope.setDefaultRoles({ scopeId, roleIds: ids.map(Number) })
      cache.setQueryData(api.scope.listDefaultRoles.queryKey({ input: { scopeId } }), saved)
      notifySuccess(t('common.saved'))
    } catch (error) {
      notifyError(error)
    }
  }
  return (
    <Section title={t('accounts.section.defaultRoles')} description={t('accounts.defaultRolesHint')}>
      <MultiSelect
        label={t('accounts.field.defaultRoles')}
        data={(roles.data?.items ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
        value={(chosen.data?.roleIds ?? []).map(String)}
        onChange={(ids) => void set(ids)}
        searchable
        nothingFoundMessage={t('list.nothingMatches')}
        disabled={!chosen.data || !roles.data}
      />
    </Section>
  )
}
