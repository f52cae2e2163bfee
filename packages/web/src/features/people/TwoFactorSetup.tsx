import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { QrCode } from '../../ui/display/QrCode.tsx'
import { useFieldFaults } from '../../ui/forms/useFieldFaults.ts'
import { Failure } from './AuthFrame.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'

interface TwoFactorSetupProps {
  /** the password just entered; asked for if empty */
  password?: string
  onDone: () => void
  onCancel: () => void
  cancelLabel: string
}

/** Sets up a second factor: password, QR code, first code, recovery codes. */
export default function TwoFactorSetup({
  password = '',
  onDone,
  onCancel,
  cancelLabel,
}: TwoFactorSetupProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [code, setCode] = useState('')
  const status = useQuery(api.twofactor.status.queryOptions())
  // Users who signed in through a provider have no password; their recent sign-in is enough.
  const hasPassword = status.data?.hasPassword !== false
  const begin = useMutation({
    mutationFn: (secret: string) => client.twofactor.setUp(secret === '' ? {} : { password: secret }),
  })
  const { faults, attempt, place } = useFieldFaults(
    () => ({ code }),
    (entered) => (entered.code.length === 6 ? {} : { code: t('auth.twoFactor.sixDigits') }),
  )
  const [failure, setFailure] = useState<unknown>(null)
  const field = useRef<HTMLInputElement>(null)
  const enable = useMutation({
    mutationFn: () => client.twofactor.enable({ code: code.trim() }),
    onMutate: () => setFailure(null),
    // Selected for the next attempt.
    onError: (error) => {
      setFailure(place(error) ? error : null)
      field.current?.select()
    },
  })
  const start = begin.mutate
  useEffect(() => {
    if (password !== '') start(password)
  }, [password, start])

  if (enable.data) return <RecoveryCodes codes={enable.data.recoveryCodes} onDone={onDone} />
  if (!begin.data) {
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault()
          begin.mutate(typed)
        }}
      >
        <Stack gap="md">
          {begin.isError ? <Failure error={begin.error} /> : null}
          {hasPassword ? (
            <PasswordInput
              label={t('auth.password')}
              description={t('auth.twoFactor.passwordHint')}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              required
              data-autofocus
            />
          ) : (
            <Text size="sm">{t('auth.again')}</Text>
          )}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={onCancel}>
              {cancelLabel}
            </Button>
            <Button
              type="submit"
              loading={begin.isPending}
              disabled={!status.data || (hasPassword && typed === '')}
            >
              {t('common.next')}
            </Button>
          </Group>
        </Stack>
      </form>
    )
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (Object.keys(attempt()).length === 0) enable.mutate()
      }}
    >
      <Stack gap="md">
        {failure === null ? null : <Failure error={failure} />}
        <Text size="sm">{t('auth.twoFactor.scan')}</Text>
        <QrCode text={begin.data.uri} label={t('auth.twoFactor.qr')} />
        <Group gap={6} justify="center" wrap="nowrap">
          <Text size="xs" ff="monospace" ta="center" style={{ wordBreak: 'break-all' }}>
            {begin.data.secret}
          </Text>
          <CopyButton value={begin.data.secret} label={t('auth.twoFactor.copySecret')} />
        </Group>
        <TextInput
          ref={field}
          label={t('auth.code')}
          description={t('auth.twoFactor.codeHint')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value.replace(/\D/g, ''))}
          error={faults.code}
          autoFocus
        />
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onCancel}>
            {cancelLabel}
          </Button>
          <Button type="submit" loading={enable.isPending}>
            {t('auth.twoFactor.enable')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
