import { NumberInput, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormLayout } from '../../ui/forms/FormLayout.tsx'
import fields from '../../ui/forms/fields.module.css'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../ui/forms/useSyncedForm.ts'
import { Section } from '../../ui/page/Section.tsx'
import { SectionNav } from '../../ui/page/SectionNav.tsx'
import {
  type AccountValues,
  checkAccount,
  leastLength,
  placeOf,
  toAccountInput,
  toAccountValues,
} from './accountValues.ts'
import { IntegrationSection } from './IntegrationSection.tsx'
import { LimitSection } from './LimitSection.tsx'
import { type Account, invalidateAccounts } from './queries.ts'
import { accountSections } from './slots.ts'

const zones = Intl.supportedValuesOf('timeZone')

const parts = ['general', 'limits', 'password', 'terms', 'feedback'] as const

/** Settings an account controls itself; read-only for users who may not change them. */
export function AccountTab({ account }: { account: Account }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const can = useCan()
  const form = useCheckedForm<AccountValues>({
    initialValues: toAccountValues(account),
    validate: checkAccount,
  })
  const { version, accept } = useSyncedForm(form, account, toAccountValues)
  const save = async (values: AccountValues) => {
    const saved = await client.tenant.update({ ...toAccountInput(values, account), id: account.id, version })
    notifySuccess(t('accounts.savedNote'))
    accept(saved)
    await invalidateAccounts(cache)
    return true
  }
  const fixed = !account.editable
  const added = account.editable ? accountSections.parts.filter(({ isShown }) => isShown?.(can) ?? true) : []
  const sections = account.editable ? [...parts, ...added.map(({ key }) => key), 'integrations'] : parts
  return (
    <Stack gap="md">
      <SectionNav
        sections={sections.map((key) => ({ id: `account-${key}`, label: t(`accounts.section.${key}`) }))}
      />
      <FormLayout form={form} onSave={save}>
        <fieldset disabled={fixed} style={{ display: 'contents' }}>
          <Section id="account-general" title={t('accounts.section.general')}>
            <div className={fields.fitted}>
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
                className={fields.wide ?? ''}
                {...form.getInputProps('description')}
              />
            </div>
          </Section>
          <LimitSection id="account-limits" account={account} form={form} />
          <Section
            id="account-password"
            title={t('accounts.section.password')}
            description={t(`accounts.passwordHint.${placeOf(account)}`, { min: leastLength })}
          >
            <Stack gap="sm" align="flex-start">
              <Switch
                label={t('accounts.ownPolicy')}
                {...form.getInputProps('ownPolicy', { type: 'checkbox' })}
              />
              {form.values.ownPolicy ? (
                <>
                  <NumberInput
                    label={t('accounts.field.minLength')}
                    min={leastLength}
                    max={100}
                    allowDecimal={false}
                    {...form.getInputProps('passwordPolicy.minLength')}
                  />
                  {(['upperAndLower', 'numbers', 'special'] as const).map((name) => (
                    <Switch
                      key={name}
                      label={t(`accounts.policy.${name}`)}
                      {...form.getInputProps(`passwordPolicy.${name}`, { type: 'checkbox' })}
                    />
                  ))}
                </>
              ) : null}
            </Stack>
          </Section>
          <Section
            id="account-terms"
            title={t('accounts.section.terms')}
            description={t(`accounts.termsHint.${placeOf(account)}`)}
          >
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
          <Section
            id="account-feedback"
            title={t('accounts.section.feedback')}
            description={t('accounts.feedbackHint')}
          >
            <div className={fields.fitted}>
              {(['bug', 'featureRequest'] as const).map((name) => (
                <TagInput
                  key={name}
                  label={t(`accounts.field.${name}`)}
                  value={form.values.feedback[name]}
                  onChange={(addresses) => form.setFieldValue(`feedback.${name}`, addresses)}
                  error={form.errors[`feedback.${name}`]}
                  max={20}
                  disabled={fixed}
                />
              ))}
            </div>
          </Section>
        </fieldset>
      </FormLayout>
      {added.map(({ key, Content }) => (
        <Suspense key={key} fallback={null}>
          <Content account={account} />
        </Suspense>
      ))}
      {account.editable ? <IntegrationSection id="account-integrations" account={account} /> : null}
    </Stack>
  )
}
