import {
  ActionIcon,
  Alert,
  Button,
  Group,
  Text,
  Title,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { IconAlertCircle, IconLanguage, IconLock, IconMoon, IconSun, IconWifiOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../lib/errors.ts'
import { currentLanguage, setLanguage } from '../../lib/i18n.ts'
import { Icon, type IconType } from '../../ui/display/Icon.tsx'
import { Mark } from '../../ui/display/Mark.tsx'
import classes from './auth.module.css'

interface AuthFrameProps {
  title: string
  text?: string | undefined
  children: ReactNode
}

/** The page around all sign-in forms. */
export function AuthFrame({ title, text, children }: AuthFrameProps) {
  const { t } = useTranslation()
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
          {title}
        </Title>
        {text ? (
          <Text c="dimmed" size="sm" mb={20}>
            {text}
          </Text>
        ) : null}
        {children}
      </div>
    </div>
  )
}

const icons: Record<string, IconType> = {
  AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS: IconLock,
  NETWORK_ERROR: IconWifiOff,
}

/** An error, shown above its form. */
export function Failure({ error }: { error: unknown }) {
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
