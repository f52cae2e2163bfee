import {
  ActionIcon,
  Avatar,
  Kbd,
  Menu,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import {
  IconHelpCircle,
  IconKeyboard,
  IconLanguage,
  IconLogout,
  IconMenu2,
  IconMoon,
  IconSearch,
  IconSun,
  IconTicket,
  IconUserCircle,
} from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import clsx from 'clsx'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { AlarmBell as loadBell } from '../features/alarms/screens.ts'
import { HelpButton as loadHelp } from '../features/help/screens.ts'
import { TicketTools as loadTickets } from '../features/tickets/screens.ts'
import { currentLanguage, type Language, languages, setLanguage } from '../lib/i18n.ts'
import { onDemand } from '../lib/onDemand.ts'
import { logout, saveUserDefaults, useCan, useUser } from '../lib/session.ts'
import { Icon } from '../ui/display/Icon.tsx'
import { LiveDot } from '../ui/display/LiveDot.tsx'
import { notifyError } from '../ui/feedback/notify.ts'
import { Breadcrumb } from './Breadcrumb.tsx'
import { drawerOpenStore } from './drawerState.ts'
import { initialsOf } from './initials.ts'
import { openPalette } from './paletteState.ts'
import classes from './shell.module.css'
import { openShortcutHelp } from './shortcutState.ts'

/** Stores a personal default on the server; the change is already applied locally. */
function remember(change: Parameters<typeof saveUserDefaults>[0]): void {
  saveUserDefaults(change).catch((error: unknown) => notifyError(error))
}

/** Breadcrumb, search, live state, language, light and dark, user menu. */
export function Toolbar({ small, withMenu }: { small: boolean; withMenu: boolean }) {
  const { t } = useTranslation()
  const mac = /Mac|iPhone|iPad/.test(navigator.userAgent)
  return (
    <section className={classes.toolbar} aria-label={t('nav.toolbar')}>
      {withMenu ? (
        <ActionIcon aria-label={t('nav.open')} size={40} onClick={() => drawerOpenStore.set(true)}>
          <Icon of={IconMenu2} />
        </ActionIcon>
      ) : null}
      <Breadcrumb />
      <button type="button" className={classes.search} onClick={openPalette} title={t('palette.open')}>
        <Icon of={IconSearch} size={16} />
        <span>{t('palette.hint')}</span>
        <Kbd size="xs">{mac ? '⌘ K' : t('palette.keys')}</Kbd>
      </button>
      <span className={classes.liveSlot}>
        <LiveDot compact={small} />
      </span>
      <Bell />
      <Tickets />
      <span className={clsx(classes.bell, classes.wideOnly)}>
        <Suspense>
          <HelpButton />
        </Suspense>
      </span>
      <span className={classes.wideOnly}>
        <LanguageMenu />
      </span>
      <span className={classes.wideOnly}>
        <SchemeSwitch />
      </span>
      <UserMenu />
    </section>
  )
}

/** By then the first screen is there. */
const laterMs = 2_000
const later = <T,>(load: () => Promise<T>) =>
  new Promise<void>((resolve) => setTimeout(resolve, laterMs)).then(load)
const AlarmBell = onDemand(() => later(loadBell))
const TicketTools = onDemand(() => later(loadTickets))
const HelpButton = onDemand(() => later(loadHelp))

/** Alarms that nobody takes care of, for those who may see alarms. */
function Bell() {
  const can = useCan()
  return can('VirtualDevice', 'read') || can('DigitalTwin', 'read') ? (
    <span className={classes.bell}>
      <Suspense>
        <AlarmBell />
      </Suspense>
    </span>
  ) : null
}

/** The bell of tickets, and reports that wait on this device. */
function Tickets() {
  const can = useCan()
  return (['read', 'create', 'manage'] as const).some((action) => can('IsFmTicket', action)) ? (
    <span className={classes.bell}>
      <Suspense>
        <TicketTools />
      </Suspense>
    </span>
  ) : null
}

function LanguageMenu() {
  const { t } = useTranslation()
  return (
    <Menu>
      <Menu.Target>
        <Tooltip label={t('common.language')}>
          <ActionIcon aria-label={t('common.language')} size={36}>
            <Icon of={IconLanguage} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {languages.map((language) => (
          <LanguageItem key={language} language={language} />
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function LanguageItem({ language }: { language: Language }) {
  const { t } = useTranslation()
  const current = currentLanguage() === language
  return (
    <Menu.Item
      fw={current ? 600 : 400}
      lang={language}
      onClick={() => {
        void setLanguage(language)
        remember({ language })
      }}
    >
      {t(`common.languages.${language}`)}
    </Menu.Item>
  )
}

/** Toggles light and dark mode and stores the choice. */
export function useSchemeSwitch(): { dark: boolean; toggle: () => void } {
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  return {
    dark,
    toggle: () => {
      setColorScheme(dark ? 'light' : 'dark')
      remember({ uiTheme: !dark })
    },
  }
}

function SchemeSwitch() {
  const { t } = useTranslation()
  const { dark, toggle } = useSchemeSwitch()
  const label = t(dark ? 'common.toLight' : 'common.toDark')
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} size={36} onClick={toggle}>
        <Icon of={dark ? IconSun : IconMoon} />
      </ActionIcon>
    </Tooltip>
  )
}

function UserMenu() {
  const { t } = useTranslation()
  const user = useUser()
  const can = useCan()
  const navigate = useNavigate()
  const { dark, toggle } = useSchemeSwitch()
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ') || user.username
  const initials = initialsOf(name)
  return (
    <Menu width={240}>
      <Menu.Target>
        <UnstyledButton
          aria-label={`${initials}: ${t('nav.userMenu', { name })}`}
          style={{ borderRadius: '50%', marginLeft: 6 }}
        >
          <Avatar
            size={32}
            radius="xl"
            color="accent"
            variant="light"
            styles={{ placeholder: { fontSize: 12 } }}
          >
            {initials}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div style={{ padding: '8px 12px 10px' }}>
          <Text fw={600} size="sm" truncate>
            {name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {user.email}
          </Text>
        </div>
        <Menu.Divider />
        <Menu.Item
          leftSection={<Icon of={IconUserCircle} />}
          renderRoot={(props) => <Link {...props} to="/user-profile" />}
        >
          {t('screens.userProfile.title')}
        </Menu.Item>
        {can('IsFmTicket', 'read') || can('IsFmTicket', 'manage') ? (
          <Menu.Item
            leftSection={<Icon of={IconTicket} />}
            renderRoot={(props) => <Link {...props} to="/fm-ticketing-mgmt" />}
          >
            {t('screens.fmTickets.title')}
          </Menu.Item>
        ) : null}
        <Menu.Item
          leftSection={<Icon of={IconHelpCircle} />}
          renderRoot={(props) => <Link {...props} to="/help" />}
        >
          {t('screens.help.title')}
        </Menu.Item>
        <Menu.Item leftSection={<Icon of={IconKeyboard} />} onClick={openShortcutHelp}>
          {t('shortcuts.title')}
        </Menu.Item>
        <Menu.Divider hiddenFrom="xs" />
        <Menu.Item hiddenFrom="xs" leftSection={<Icon of={dark ? IconSun : IconMoon} />} onClick={toggle}>
          {t(dark ? 'common.toLight' : 'common.toDark')}
        </Menu.Item>
        {languages
          .filter((language) => language !== currentLanguage())
          .map((language) => (
            <Menu.Item
              key={language}
              hiddenFrom="xs"
              lang={language}
              leftSection={<Icon of={IconLanguage} />}
              onClick={() => {
                void setLanguage(language)
                remember({ language })
              }}
            >
              {t(`common.languages.${language}`)}
            </Menu.Item>
          ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<Icon of={IconLogout} />}
          onClick={() => void logout().then(() => navigate({ to: '/login' }))}
        >
          {t('auth.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
