import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { useFieldFaults } from '../../ui/forms/useFieldFaults.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { AuthFrame, Failure } from './AuthFrame.tsx'
import { NewPassword } from './NewPassword.tsx'
import { passwordFaults, translated } from './rules.ts'

/** Target of the links in invitation and password-reset mails: sets a password with the mail's token. */
export default function ChangePasswordPage() {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  const token = one(search, 'token') ?? ''
  const policy = useQuery(api.password.policy.queryOptions({ input: { token }, retry: false, staleTime: 0 }))
  const [values, setValues] = useState({ newPassword: '', repeated: '' })
  const { faults, attempt, place } = useFieldFaults(
    () => values,
    (entered) => translated(passwordFaults(policy.data, entered), t),
  )
  const [failure, setFailure] = useState<unknown>(null)
  const save = useMutation({
    mutationFn: () => client.password.reset({ token, password: values.newPassword }),
    onMutate: () => setFailure(null),
    onError: (error) => setFailure(place(error) ? error : null),
  })

  if (save.isSuccess) {
    return (
      <AuthFrame title={t('password.doneTitle')} text={t('password.doneText')}>
        <RouterLink to="/login">{t('password.toLogin')}</RouterLink>
      </AuthFrame>
    )
  }
  if (policy.isError) {
    return (
      <AuthFrame title={t('screens.changePassword.title')}>
        <Stack gap="md">
          <Failure error={policy.error} />
          <Text size="sm">
            <RouterLink to="/reset-password">{t('password.again')}</RouterLink>
          </Text>
        </Stack>
      </AuthFrame>
    )
  }
  return (
    <AuthFrame title={t('screens.changePassword.title')} text={t('password.setText')}>
      {policy.data ? (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (Object.keys(attempt()).length === 0) save.mutate()
          }}
        >
          <Stack gap="md">
            {failure === null ? null : <Failure error={failure} />}
            <NewPassword
              policy={policy.data}
              values={values}
              onChange={(change) => setValues((current) => ({ ...current, ...change }))}
              faults={faults}
            />
            <Button type="submit" size="md" fullWidth loading={save.isPending}>
              {t('password.set')}
            </Button>
          </Stack>
        </form>
      ) : (
        <Loading lines={3} />
      )}
    </AuthFrame>
  )
}
