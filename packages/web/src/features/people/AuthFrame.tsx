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
import { type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { backgroundOf, useBrand } from '../../lib/brand.ts'
import { describeError } from '../../lib/errors.ts'
import { currentLanguage, setLanguage } from '../../lib/i18n.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { Icon, type IconType } from '../../ui/display/Icon.tsx'
import { Mark } from '../../ui/display/Mark.tsx'
import classes from './auth.module.css'

const FooterLinks = onDemand(() => import('../../ui/display/FooterLinks.tsx'))

interface AuthFrameProps {
  title: string
  text?: string | undefined
  /** for a text to read */
  wide?: boolean
  children: ReactNode
}

/** The page around all sign-in forms. */
export function AuthFrame({ title, text, wide = false, children }: AuthFrameProps) {
  const { t } = useTranslation()
  const brand = useBrand()
  return (
    <div
      className={classes.page}
      data-image={Boolean(brand?.images.login) || undefined}
      style={backgroundOf(brand?.images.login)}
    >
      <div className={classes.corner}>
        <LanguageSwitch />
        <SchemeSwitch />
      </div>
      <div className={classes.card} data-wide={wide || undefined}>
        <Group gap={12} mb={28} className={classes.head ?? ''} data-logo={brand?.logoPosition}>
          <Mark size={40} />
          <div>
            <Text fw={650} fz={19} lh={1.2}>
              {t('common.product')}
            </Text>
            {brand?.isBranded ? null : (
              <Text size="xs" c="dimmed">
                {t('auth.claim')}
              </Text>
            )}
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
      {brand?.isBranded && brand.showFooter ? (
        <Suspense>
          <FooterLinks className={classes.foot ?? ''} />
        </Suspense>
      ) : null}
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

/** Switches to the other language. */
export function LanguageSwitch() {
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

/** Switches between light and dark. */
export function SchemeSwitch() {
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
