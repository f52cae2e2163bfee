import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { useFieldFaults } from '../../ui/forms/useFieldFaults.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { AuthFrame, Failure } from './AuthFrame.tsx'

/** Forgotten password: asks for the address. The reply does not reveal whether an account exists. */
export default function ResetPasswordPage() {
  const { t } = useTranslation()
  const [email, setEmail] = useState('')
  const { faults, attempt } = useFieldFaults(
    () => ({ email: email.trim() }),
    ({ email: entered }) =>
      /^[^\s@]+@[^\s@]+$/.test(entered)
        ? {}
        : { email: t(entered === '' ? 'validation.required' : 'validation.email') },
  )
  const send = useMutation({ mutationFn: () => client.password.forgot({ email: email.trim() }) })
  const back = (
    <Text size="sm" ta="center">
      <RouterLink to="/login">{t('password.toLogin')}</RouterLink>
    </Text>
  )
  if (send.isSuccess) {
    return (
      <AuthFrame title={t('password.sentTitle')}>
        <Stack gap="md">
          <Text size="sm" role="status">
            {t('password.sent', { email: email.trim() })}
          </Text>
          {back}
        </Stack>
      </AuthFrame>
    )
  }
  return (
    <AuthFrame title={t('screens.resetPassword.title')} text={t('password.forgotText')}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (Object.keys(attempt()).length === 0) send.mutate()
        }}
      >
        <Stack gap="md">
          {send.isError ? <Failure error={send.error} /> : null}
          <TextInput
            label={t('profile.email')}
            type="email"
            autoComplete="email"
            size="md"
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={faults.email}
          />
          <Button type="submit" size="md" fullWidth loading={send.isPending}>
            {t('password.send')}
          </Button>
          {back}
        </Stack>
      </form>
    </AuthFrame>
  )
}
