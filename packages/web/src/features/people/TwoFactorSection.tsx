import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { TouchedGuard } from '../../ui/forms/TouchedGuard.tsx'
import { useFieldFaults } from '../../ui/forms/useFieldFaults.ts'
import { Section } from '../../ui/page/Section.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'

const TwoFactorSetup = onDemand(() => import('./TwoFactorSetup.tsx'))
const fewCodes = 3

type Dialog = 'setUp' | 'disable' | 'renew'

/** The user's second factor: setup, removal, new recovery codes. */
export function TwoFactorSection() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const status = useQuery(api.twofactor.status.queryOptions())
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const close = () => {
    setDialog(null)
    void cache.invalidateQueries({ queryKey: api.twofactor.key() })
    void cache.invalidateQueries({ queryKey: api.session.key() })
  }
  if (status.isLoadingError) return <ErrorState error={status.error} onRetry={() => void status.refetch()} />
  return (
    <Section title={t('twoFactor.title')} description={t('twoFactor.hint')}>
      {status.data ? (
        <Stack gap="md" align="flex-start">
          <Group gap={8}>
            <Badge
              color={status.data.enabled ? 'green' : 'gray'}
              leftSection={<Icon of={status.data.enabled ? IconCircleCheck : IconAlertTriangle} size={13} />}
            >
              {t(status.data.enabled ? 'twoFactor.on' : 'twoFactor.off')}
            </Badge>
            {status.data.required ? (
              <Text size="sm" c="dimmed">
                {t('twoFactor.required')}
              </Text>
            ) : null}
          </Group>
          {status.data.enabled ? (
            <>
              <Text
                size="sm"
                c={status.data.recoveryCodesLeft <= fewCodes ? 'var(--health-warning)' : 'dimmed'}
              >
                {t('twoFactor.left', { count: status.data.recoveryCodesLeft })}
              </Text>
              <Group gap={8}>
                <Button variant="default" onClick={() => setDialog('renew')}>
                  {t('twoFactor.renew')}
                </Button>
                {status.data.required ? null : (
                  <Button variant="default" onClick={() => setDialog('disable')}>
                    {t('twoFactor.disable')}
                  </Button>
                )}
              </Group>
            </>
          ) : (
            <Button variant="default" onClick={() => setDialog('setUp')}>
              {t('twoFactor.setUp')}
            </Button>
          )}
        </Stack>
      ) : (
        <Loading lines={2} />
      )}
      <FormModal
        opened={dialog !== null}
        onClose={close}
        title={dialog === null ? '' : t(`twoFactor.${dialog}`)}
        closeButtonProps={{ 'aria-label': t('common.close') }}
        // Codes shown only once must not be lost by a click outside.
        closeOnClickOutside={false}
        centered
      >
        <TouchedGuard onClose={close}>
          {(leave) =>
            dialog === 'setUp' ? (
              <Suspense fallback={<Loading />}>
                <TwoFactorSetup onDone={close} onCancel={leave} cancelLabel={t('common.cancel')} />
              </Suspense>
            ) : dialog === null ? null : (
              <CodeForm action={dialog} onDone={close} onCancel={leave} />
            )
          }
        </TouchedGuard>
      </FormModal>
    </Section>
  )
}

/** Asks for a code, then runs the action. */
function CodeForm({
  action,
  onDone,
  onCancel,
}: {
  action: 'disable' | 'renew'
  onDone: () => void
  onCancel: () => void
}) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const { faults, attempt, place } = useFieldFaults(
    () => ({ code: code.trim() }),
    ({ code: entered }) => (entered.length < 6 ? { code: t('validation.required') } : {}),
  )
  const [failure, setFailure] = useState<unknown>(null)
  const field = useRef<HTMLInputElement>(null)
  const run = useMutation({
    mutationFn: async () => {
      if (action === 'renew') return (await client.twofactor.renewCodes({ code })).recoveryCodes
      await client.twofactor.disable({ code })
      return null
    },
    onMutate: () => setFailure(null),
    onError: (error) => {
      setFailure(place(error) ? error : null)
      field.current?.select()
    },
    onSuccess: (codes) => {
      if (codes !== null) return
      notifySuccess(t('twoFactor.disabled'))
      onDone()
    },
  })
  if (run.data) return <RecoveryCodes codes={run.data} onDone={onDone} />
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (Object.keys(attempt()).length === 0) run.mutate()
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t(`twoFactor.${action}Text`)}</Text>
        <TextInput
          ref={field}
          label={t('auth.code')}
          description={t('auth.codeHint')}
          autoComplete="one-time-code"
          maxLength={20}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={faults.code}
          data-autofocus
        />
        {failure === null ? null : <ErrorText error={failure} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onCancel}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={run.isPending} {...(action === 'disable' ? { color: 'red' } : {})}>
            {t(`twoFactor.${action}`)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
