import { NumberInput, PasswordInput, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormLayout } from '../../ui/forms/FormLayout.tsx'
import fields from '../../ui/forms/fields.module.css'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../ui/forms/useSyncedForm.ts'
import { Section } from '../../ui/page/Section.tsx'
import { checkMail, type MailValues, toMailInput, toMailValues, withSecurity } from './mailValues.ts'
import { type Account, invalidateAccounts, type MailSettings } from './queries.ts'
import { TestMail } from './TestMail.tsx'
import { inheritedText } from './texts.ts'

interface MailTabProps {
  account: Pick<Account, 'id'>
  onSaved?: (() => Promise<unknown>) | undefined
}

/** Settings of an account's outgoing mail server. */
export function MailTab({ account, onSaved }: MailTabProps) {
  const settings = useQuery(api.tenant.getMailServer.queryOptions({ input: { id: account.id } }))
  if (settings.isError && !settings.data)
    return <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
  if (!settings.data) return <Loading lines={6} />
  return <MailForm accountId={account.id} settings={settings.data} onSaved={onSaved} />
}

interface MailFormProps extends Pick<MailTabProps, 'onSaved'> {
  accountId: number
  settings: MailSettings
}

function MailForm({ accountId, settings, onSaved }: MailFormProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const form = useCheckedForm<MailValues>({
    initialValues: toMailValues(settings),
    validate: checkMail,
  })
  const { version, accept } = useSyncedForm(form, settings, toMailValues)
  const save = async (values: MailValues) => {
    const server = toMailInput(values) ?? null
    accept(await client.tenant.setMailServer({ id: accountId, version, server }))
    notifySuccess(t('mailServer.savedNote'))
    await invalidateAccounts(cache)
    await onSaved?.()
  }
  return (
    <FormLayout form={form} onSave={save}>
      <Section title={t('mailServer.title')} description={t('mailServer.hint')}>
        <Stack gap="md">
          <Switch
            label={t('mailServer.own')}
            description={inheritedText(settings.inherited, t)}
            {...form.getInputProps('own', { type: 'checkbox' })}
          />
          {form.values.own ? (
            <ServerFields form={form} hasPassword={settings.own?.hasPassword ?? false} />
          ) : null}
        </Stack>
      </Section>
      <TestMail
        accountId={accountId}
        server={toMailInput(form.values)}
        check={() => !form.validate().hasErrors}
        closed={!form.values.own && settings.own === null && settings.inherited.kind === 'none'}
      />
    </FormLayout>
  )
}

function ServerFields({ form, hasPassword }: { form: UseFormReturnType<MailValues>; hasPassword: boolean }) {
  const { t } = useTranslation()
  const { security, user, port } = form.values
  return (
    <div className={fields.fitted}>
      <TextInput
        label={t('mailServer.field.host')}
        description={t('mailServer.hostHint')}
        required
        {...form.getInputProps('host')}
      />
      <Select
        label={t('mailServer.field.security')}
        description={security === 'none' ? t('mailServer.openHint') : t('mailServer.safeHint')}
        data={(['starttls', 'tls', 'none'] as const).map((value) => ({
          value,
          label: t(`mailServer.security.${value}`),
        }))}
        value={security}
        allowDeselect={false}
        onChange={(value) => {
          const wanted = (['none', 'starttls', 'tls'] as const).find((each) => each === value)
          if (wanted) form.setValues(withSecurity({ security, port }, wanted))
        }}
      />
      <NumberInput
        label={t('mailServer.field.port')}
        description={t('mailServer.portHint')}
        required
        min={1}
        max={65535}
        allowDecimal={false}
        value={port ?? ''}
        onChange={(value) => form.setFieldValue('port', typeof value === 'number' ? value : null)}
        error={form.errors.port}
      />
      <TextInput
        label={t('mailServer.field.user')}
        description={t('mailServer.userHint')}
        autoComplete="off"
        {...form.getInputProps('user')}
      />
      <PasswordInput
        label={t('mailServer.field.password')}
        description={hasPassword ? t('mailServer.keptHint') : t('mailServer.passwordHint')}
        autoComplete="new-password"
        disabled={user.trim() === ''}
        visibilityToggleButtonProps={{ 'aria-label': t('mailServer.showPassword') }}
        {...form.getInputProps('password')}
      />
      <TextInput
        label={t('mailServer.field.senderAddress')}
        description={t('mailServer.senderHint')}
        required
        type="email"
        {...form.getInputProps('senderAddress')}
      />
      <TextInput
        label={t('mailServer.field.senderName')}
        description={t('mailServer.nameHint')}
        {...form.getInputProps('senderName')}
      />
      <Text size="sm" c="dimmed" className={fields.wide ?? ''}>
        {t('mailServer.below')}
      </Text>
    </div>
  )
}
