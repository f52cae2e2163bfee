import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type ChangeEvent, Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../lib/errors.ts'
import { safeRedirect } from '../../lib/redirect.ts'
import { confirmSignOn, login, logout, sessionStore, useSession, verifySession } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { toLocation } from '../../ui/page/location.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { AuthFrame, Failure, TwoFactorSetup } from '../people/index.ts'
import { problemOf } from './problem.ts'
import { SsoButtons } from './SsoButtons.tsx'

/**
 * Sign-in: name and password, the second factor if the server requires it, its setup if the account requires
 * it, then back to the requested screen.
 */
export default function LoginPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const session = useSession()
  const [search] = useUrlSearch()
  const [asked, setAsked] = useState(false)
  const [password, setPassword] = useState('')
  const wanted = one(search, 'redirect')
  const error = one(search, 'error')
  // The user returns from a provider and still has to enter their second factor.
  const isSignOn = one(search, 'step') === 'code'
  const withCode = asked || isSignOn
  const goOn = () => navigate({ ...toLocation(safeRedirect(wanted)), replace: true })
  if (session.status === 'user' && session.needsTwoFactor) {
    return (
      <AuthFrame title={t('auth.twoFactor.title')} text={t('auth.twoFactor.demanded')}>
        <Suspense fallback={<Loading />}>
          <TwoFactorSetup
            password={password}
            onDone={async () => {
              await verifySession()
              await goOn()
            }}
            onCancel={() => void logout()}
            cancelLabel={t('auth.signOut')}
          />
        </Suspense>
      </AuthFrame>
    )
  }
  return (
    <AuthFrame
      title={t(withCode ? 'auth.codeTitle' : 'auth.title')}
      text={t(withCode ? 'auth.codeText' : wanted && !error ? 'auth.expired' : 'auth.subtitle')}
    >
      <LoginForm
        withCode={withCode}
        isSignOn={isSignOn}
        problem={error}
        setWithCode={(on) => {
          setAsked(on)
          if (isSignOn && !on) void navigate({ to: '/login', replace: true })
        }}
        onPassword={setPassword}
        onDone={goOn}
      />
      {withCode ? null : <SsoButtons redirect={safeRedirect(wanted)} />}
    </AuthFrame>
  )
}

interface LoginFormProps {
  withCode: boolean
  /** the code ends a single sign-on */
  isSignOn: boolean
  /** error code from the provider */
  problem: string | undefined
  setWithCode: (on: boolean) => void
  /** Kept for setting up a second factor in the next step, which requires it. */
  onPassword: (password: string) => void
  onDone: () => Promise<void>
}

function LoginForm({ withCode, isSignOn, problem, setWithCode, onPassword, onDone }: LoginFormProps) {
  const { t } = useTranslation()
  const [failure, setFailure] = useState<unknown>(() => problemOf(problem))
  const [busy, setBusy] = useState(false)
  const [values, setValues] = useState({ username: '', password: '', code: '' })
  const [tried, setTried] = useState(false)
  const codeField = useRef<HTMLInputElement>(null)
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      const { value } = event.currentTarget
      setValues((current) => ({ ...current, [name]: value }))
    },
  })
  const missing = { username: values.username.trim() === '', password: values.password === '' }

  const submit = async () => {
    setTried(true)
    setFailure(undefined)
    if (!isSignOn && (missing.username || missing.password)) return
    if (withCode && values.code.trim() === '') return
    setBusy(true)
    try {
      onPassword(values.password)
      if (isSignOn) await confirmSignOn(values.code.trim())
      else await login(values.username.trim(), values.password, values.code.trim() || undefined)
      const session = sessionStore.get()
      if (session.status === 'user' && session.needsTwoFactor) return
      onPassword('')
      await onDone()
    } catch (error) {
      if (describeError(error).code === '2FA_TOKEN_REQUIRED') setWithCode(true)
      else setFailure(error)
      // An empty field is not an error here: the wrong code was just cleared.
      setTried(false)
      setValues((current) => ({ ...current, code: '' }))
      setBusy(false)
      codeField.current?.focus()
    }
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Stack gap="md">
        {failure === undefined ? null : <Failure error={failure} />}
        {withCode ? (
          <TextInput
            key="code"
            ref={codeField}
            label={t('auth.code')}
            description={t('auth.codeHint')}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={20}
            size="md"
            autoFocus
            error={tried && values.code.trim() === '' ? t('auth.codeMissing') : null}
            {...field('code')}
          />
        ) : (
          <>
            <TextInput
              label={t('auth.username')}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              size="md"
              data-autofocus
              autoFocus
              error={tried && missing.username ? t('auth.usernameMissing') : null}
              {...field('username')}
            />
            <PasswordInput
              label={t('auth.password')}
              autoComplete="current-password"
              size="md"
              visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
              error={tried && missing.password ? t('auth.passwordMissing') : null}
              {...field('password')}
            />
          </>
        )}
        <Button type="submit" size="md" loading={busy} fullWidth mt={4}>
          {t('auth.signIn')}
        </Button>
        {withCode ? (
          <Button
            variant="subtle"
            onClick={() => {
              setFailure(undefined)
              setWithCode(false)
            }}
          >
            {t('common.back')}
          </Button>
        ) : (
          <Text size="sm" ta="center">
            <RouterLink to="/reset-password">{t('auth.forgot')}</RouterLink>
          </Text>
        )}
      </Stack>
    </form>
  )
}
