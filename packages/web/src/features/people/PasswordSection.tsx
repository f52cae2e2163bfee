import { Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { replaceToken } from '../../lib/session.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { focusFirstFault } from '../../ui/forms/focusFirstFault.ts'
import { useFieldFaults } from '../../ui/forms/useFieldFaults.ts'
import { useUnsavedGuard } from '../../ui/forms/useLeave.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { NewPassword } from './NewPassword.tsx'
import { passwordFaults, translated } from './rules.ts'

const empty = { oldPassword: '', newPassword: '', repeated: '' }

/** Changes the user's password; ends all other sessions of the user. */
export function PasswordSection() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const policy = useQuery(api.password.policy.queryOptions({ input: {} }))
  const factor = useQuery(api.twofactor.status.queryOptions())
  const [values, setValues] = useState(empty)
  const { faults, attempt, place, restart } = useFieldFaults(
    () => values,
    (entered) => ({
      ...(entered.oldPassword === '' ? { oldPassword: t('validation.required') } : {}),
      ...translated(passwordFaults(policy.data, entered), t),
    }),
  )
  const [failure, setFailure] = useState<unknown>(null)
  const set = (change: Partial<typeof empty>) => setValues((current) => ({ ...current, ...change }))
  const save = useMutation({
    mutationFn: () =>
      replaceToken(() =>
        client.password.change({ oldPassword: values.oldPassword, newPassword: values.newPassword }),
      ),
    onMutate: () => setFailure(null),
    onError: (error) => setFailure(place(error) ? error : null),
    onSuccess: async () => {
      setValues(empty)
      restart(empty)
      notifySuccess(t('password.changed'))
      await cache.invalidateQueries({ queryKey: api.session.key() })
    },
  })
  const guard = useUnsavedGuard(JSON.stringify(values) !== JSON.stringify(empty) && !save.isPending)
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
            if (Object.keys(attempt()).length === 0) save.mutate()
            else focusFirstFault()
          }}
        >
          <Stack gap="md" maw={360}>
            <PasswordInput
              label={t('password.old')}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
              value={values.oldPassword}
              onChange={(event) => set({ oldPassword: event.currentTarget.value })}
              error={faults.oldPassword}
            />
            <NewPassword policy={policy.data} values={values} onChange={set} faults={faults} />
            {failure === null ? null : <ErrorText error={failure} />}
            <Button type="submit" variant="default" loading={save.isPending} style={{ alignSelf: 'start' }}>
              {t('password.change')}
            </Button>
          </Stack>
        </form>
      ) : (
        <Loading lines={4} />
      )}
      {guard}
    </Section>
  )
}
