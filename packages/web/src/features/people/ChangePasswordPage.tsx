import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { AuthFrame, Failure } from './AuthFrame.tsx'
import { NewPassword } from './NewPassword.tsx'
import { rulesOf } from './rules.ts'

/** Target of the links in invitation and password-reset mails: sets a password with the mail's token. */
export default function ChangePasswordPage() {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  const token = one(search, 'token') ?? ''
  const policy = useQuery(api.password.policy.queryOptions({ input: { token }, retry: false, staleTime: 0 }))
  const [value, setValue] = useState('')
  const [repeated, setRepeated] = useState('')
  const [tried, setTried] = useState(false)
  const save = useMutation({ mutationFn: () => client.password.reset({ token, password: value }) })

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
  const ready = (rules: ReturnType<typeof rulesOf>) => rules.every(({ met }) => met) && value === repeated
  return (
    <AuthFrame title={t('screens.changePassword.title')} text={t('password.setText')}>
      {policy.data ? (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            setTried(true)
            if (ready(rulesOf(policy.data, value))) save.mutate()
          }}
        >
          <Stack gap="md">
            {save.isError ? <Failure error={save.error} /> : null}
            <NewPassword
              policy={policy.data}
              value={value}
              repeated={repeated}
              onChange={setValue}
              onRepeat={setRepeated}
              tried={tried}
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
