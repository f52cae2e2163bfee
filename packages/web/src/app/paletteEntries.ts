import { IconLanguage, IconLogout, IconMoon, IconPlus, IconSearch } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { currentLanguage, setLanguage } from '../lib/i18n.ts'
import { logout, saveUserDefaults, sessionCan, sessionMeets, useSession, useUser } from '../lib/session.ts'
import { useStore } from '../lib/store.ts'
import type { IconType } from '../ui/display/Icon.tsx'
import { notifyError } from '../ui/feedback/notify.ts'
import { toLocation } from '../ui/page/location.ts'
import { navIcon } from './nav.ts'
import { usePathname } from './pageEffects.ts'
import { type Findable, offeredScreens } from './palette.ts'
import { sources } from './paletteSources.ts'
import { screenByPath } from './routes.ts'
import { useSchemeSwitch } from './Toolbar.tsx'
import { thingsOf } from './visitList.ts'
import { visitStore } from './visits.ts'

export interface Entry extends Findable {
  readonly id: string
  readonly icon: IconType
  readonly run: () => void
}

function useOpen(): (to: string) => () => void {
  const navigate = useNavigate()
  return (to) => () => void navigate(toLocation(to))
}

/** What the user opened lately, newest first. */
export function useRecentEntries(): Entry[] {
  const { t } = useTranslation()
  const user = useUser()
  const open = useOpen()
  const pathname = usePathname()
  return thingsOf(useStore(visitStore), user.id, pathname).map(({ path, key, title }) => ({
    id: path,
    path,
    label: title,
    description: t(`screens.${key}.title`),
    icon: navIcon(path) ?? IconSearch,
    run: open(path),
  }))
}

/** The built screens the user may open. */
export function useScreenEntries(): Entry[] {
  const { t } = useTranslation()
  const session = useSession()
  const open = useOpen()
  return offeredScreens()
    .filter(
      ({ rule, path }) => sessionMeets(session, rule) && creations.every(([, action]) => action !== path),
    )
    .map(({ path, key }) => ({
      id: path,
      path,
      label: t(`screens.${key}.title`),
      description: t('palette.kinds.screen'),
      icon: navIcon(path) ?? IconSearch,
      run: open(path),
    }))
}

/** Things of all kinds that the server finds. */
export function useFoundEntries(search: string): { entries: Entry[]; isSearching: boolean } {
  const { t } = useTranslation()
  const session = useSession()
  const open = useOpen()
  const offered = sources.filter(({ screen }) => {
    const rule = screenByPath(screen)?.rule
    return rule !== undefined && sessionMeets(session, rule)
  })
  const results = useQueries({
    queries: offered.map(({ key, find }) => ({
      queryKey: ['palette', key, search],
      queryFn: () => find(search),
      enabled: search !== '',
      retry: false,
      staleTime: 10_000,
    })),
  })
  const entries = offered.flatMap(({ key, icon }, index) =>
    (results[index]?.data ?? []).map(({ path, label, detail }) => ({
      id: path,
      path,
      label,
      description: [t(`palette.kinds.${key}`), detail].filter(Boolean).join(' · '),
      icon,
      run: open(path),
    })),
  )
  return { entries, isSearching: results.some(({ isFetching }) => isFetching) }
}

/** Screens with a form to create something, and who may use it. */
const creations = [
  ['device', '/virtual-devices?create=1', 'VirtualDevice', ['write', 'manage']],
  ['devices', '/virtual-devices?import=1', 'VirtualDevice', ['write', 'manage']],
  ['group', '/virtual-device-groups?create=1', 'VirtualDevice', ['manage']],
  ['report', '/alarm-log-reports?create=1', 'VirtualDevice', ['manage']],
  ['twin', '/digitaltwin-mgmt?create=1', 'DigitalTwin', ['write', 'manage']],
  ['dashboard', '/dashboards?create=1', 'Dashboards', ['manage']],
  ['connector', '/connectors/create', 'all', ['manage']],
  ['driver', '/virtual-device-drivers/new', 'DeviceDriver', ['manage']],
] as const

/** What can be done from anywhere. */
export function useActionEntries(): Entry[] {
  const { t } = useTranslation()
  const session = useSession()
  const user = useUser()
  const navigate = useNavigate()
  const open = useOpen()
  const { dark, toggle } = useSchemeSwitch()
  const other = currentLanguage() === 'de' ? 'en' : 'de'
  const description = t('palette.kinds.action')
  const create = creations
    .filter(([, , subject, actions]) => actions.some((action) => sessionCan(session, subject, action)))
    .map(([key, path]) => ({
      id: `create-${key}`,
      label: t(`commands.create.${key}`),
      description,
      keywords: t(`commands.createWords.${key}`),
      icon: IconPlus,
      run: open(path),
    }))
  const invite = {
    id: 'create-user',
    label: t('commands.create.user'),
    description,
    keywords: t('commands.createWords.user'),
    icon: IconPlus,
    run: open(`/account-mgmt/user/${user.accountId}`),
  }
  return [
    ...create,
    ...(sessionCan(session, 'UserManagement', 'create') ? [invite] : []),
    {
      id: 'scheme',
      label: t(dark ? 'common.toLight' : 'common.toDark'),
      description,
      keywords: t('commands.schemeWords'),
      icon: IconMoon,
      run: toggle,
    },
    {
      id: 'language',
      label: t('palette.switchLanguage', { language: t(`common.languages.${other}`) }),
      description,
      keywords: t('commands.languageWords'),
      icon: IconLanguage,
      run: () => {
        void setLanguage(other)
        saveUserDefaults({ language: other }).catch((error: unknown) => notifyError(error))
      },
    },
    {
      id: 'sign-out',
      label: t('auth.signOut'),
      description,
      keywords: t('commands.signOutWords'),
      icon: IconLogout,
      run: () => void logout().then(() => navigate({ to: '/login' })),
    },
  ]
}
