import { Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { replaceToken } from '../../lib/session.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { NewPassword } from './NewPassword.tsx'
import { rulesOf } from './rules.ts'

const empty = { old: '', value: '', repeated: '' }

/** Changes the user's password; ends all other sessions of the user. */
export function PasswordSection() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const policy = useQuery(api.password.policy.queryOptions({ input: {} }))
  const factor = useQuery(api.twofactor.status.queryOptions())
  const [values, setValues] = useState(empty)
  const [tried, setTried] = useState(false)
  const set = (change: Partial<typeof empty>) => setValues((current) => ({ ...current, ...change }))
  const save = useMutation({
    mutationFn: () =>
      replaceToken(() => client.password.change({ oldPassword: values.old, newPassword: values.value })),
    onSuccess: async () => {
      setValues(empty)
      setTried(false)
      notifySuccess(t('password.changed'))
      await cache.invalidateQueries({ queryKey: api.session.key() })
    },
  })
  const submit = (rules: ReturnType<typeof rulesOf>) => {
    setTried(true)
    if (values.old === '' || values.value !== values.repeated || rules.some(({ met }) => !met)) return
    save.mutate()
  }
  if (factor.data?.hasPassword === false) {
    return (
      <Section title={t('password.title')}>
        <Text size="sm">
          {t('password.none')} <RouterLink to="/reset-password">{t('password.set')}</RouterLink>
        </Text>
      </Section>
    )
  }
  return (
    <Section title={t('password.title')} description={t('password.hint')}>
      {policy.data ? (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            submit(rulesOf(policy.data, values.value))
          }}
        >
          <Stack gap="md" maw={360}>
            <PasswordInput
              label={t('password.old')}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
              value={values.old}
              onChange={(event) => set({ old: event.currentTarget.value })}
              error={tried && values.old === '' ? t('validation.required') : null}
            />
            <NewPassword
              policy={policy.data}
              value={values.value}
              repeated={values.repeated}
              onChange={(value) => set({ value })}
              onRepeat={(repeated) => set({ repeated })}
              tried={tried}
            />
            {save.isError ? <ErrorText error={save.error} /> : null}
            <Button type="submit" variant="default" loading={save.isPending} style={{ alignSelf: 'start' }}>
              {t('password.change')}
            </Button>
          </Stack>
        </form>
      ) : (
        <Loading lines={4} />
      )}
    </Section>
  )
}
