import {
  ActionIcon,
  Alert,
  Button,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { IconAlertCircle, IconLanguage, IconLock, IconMoon, IconSun, IconWifiOff } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ChangeEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../lib/errors.ts'
import { currentLanguage, setLanguage } from '../../lib/i18n.ts'
import { safeRedirect } from '../../lib/redirect.ts'
import { login } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon, type IconType } from '../../ui/Icon.tsx'
import { Mark } from '../../ui/Mark.tsx'
import { RouterLink, toLocation } from '../../ui/RouterLink.tsx'
import classes from './auth.module.css'

/** Sign-in: name and password, the second factor when the server asks for it, then back to the wanted screen. */
export default function LoginPage() {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  const wanted = one(search, 'redirect')
  return (
    <div className={classes.page}>
      <div className={classes.corner}>
        <LanguageSwitch />
        <SchemeSwitch />
      </div>
      <div className={classes.card}>
        <Group gap={12} mb={28}>
          <Mark size={40} />
          <div>
            <Text fw={650} fz={19} lh={1.2}>
              Leitstand
            </Text>
            <Text size="xs" c="dimmed">
              {t('auth.claim')}
            </Text>
          </div>
        </Group>
        <Title order={1} mb={4}>
          {t('auth.title')}
        </Title>
        <Text c="dimmed" size="sm" mb={20}>
          {t(wanted ? 'auth.expired' : 'auth.subtitle')}
        </Text>
        <LoginForm wanted={wanted} />
      </div>
    </div>
  )
}

function LoginForm({ wanted }: { wanted: string | undefined }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [failure, setFailure] = useState<unknown>(undefined)
  const [busy, setBusy] = useState(false)
  const [withCode, setWithCode] = useState(false)
  const [values, setValues] = useState({ username: '', password: '', code: '' })
  const [tried, setTried] = useState(false)
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
    if (missing.username || missing.password) return
    setBusy(true)
    try {
      await login(values.username.trim(), values.password, values.code.trim() || undefined)
      const location = toLocation(safeRedirect(wanted))
      await navigate({ to: location.to, search: location.search as never, replace: true })
    } catch (error) {
      const asksForCode = describeError(error).code === '2FA_TOKEN_REQUIRED'
      if (asksForCode) setWithCode(true)
      else setFailure(error)
      setBusy(false)
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
        {withCode ? (
          <TextInput
            label={t('auth.code')}
            description={t('auth.codeHint')}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={20}
            size="md"
            autoFocus
            {...field('code')}
          />
        ) : null}
        <Button type="submit" size="md" loading={busy} fullWidth mt={4}>
          {t('auth.signIn')}
        </Button>
        <Text size="sm" ta="center">
          <RouterLink to="/reset-password">{t('auth.forgot')}</RouterLink>
        </Text>
      </Stack>
    </form>
  )
}

const icons: Record<string, IconType> = {
  AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS: IconLock,
  NETWORK_ERROR: IconWifiOff,
}

function Failure({ error }: { error: unknown }) {
  const info = describeError(error)
  return (
    <Alert
      color="red"
      variant="light"
      icon={<Icon of={icons[info.code] ?? IconAlertCircle} />}
      role="alert"
      classNames={{
        root: classes.failure ?? '',
        message: classes.failureText ?? '',
        icon: classes.failureIcon ?? '',
      }}
    >
      {info.text}
    </Alert>
  )
}

function LanguageSwitch() {
  const { t } = useTranslation()
  const other = currentLanguage() === 'de' ? 'en' : 'de'
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-md"
      lang={other}
      leftSection={<Icon of={IconLanguage} />}
      onClick={() => void setLanguage(other)}
    >
      {t(`common.languages.${other}`)}
    </Button>
  )
}

function SchemeSwitch() {
  const { t } = useTranslation()
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  return (
    <ActionIcon
      aria-label={t(dark ? 'common.toLight' : 'common.toDark')}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      <Icon of={dark ? IconSun : IconMoon} />
    </ActionIcon>
  )
}
