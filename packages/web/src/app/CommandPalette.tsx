import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, spotlight } from '@mantine/spotlight'
import {
  IconCpu,
  IconHierarchy3,
  IconLanguage,
  IconLayoutDashboard,
  IconLogout,
  IconMoon,
  IconPlugConnected,
  IconPlus,
  IconSearch,
} from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../lib/api.ts'
import { currentLanguage, setLanguage } from '../lib/i18n.ts'
import { logout, saveUserDefaults, sessionCan, sessionMeets, useSession } from '../lib/session.ts'
import { Icon, type IconType } from '../ui/display/Icon.tsx'
import { notifyError } from '../ui/feedback/notify.ts'
import { toLocation } from '../ui/page/location.ts'
import { activeNavPath, navigation } from './nav.ts'
import { drawerRank, matching } from './palette.ts'
import { classic, screens } from './routes.ts'
import classes from './shell.module.css'
import { useSchemeSwitch } from './Toolbar.tsx'

const paletteClasses = {
  search: classes.paletteSearch ?? '',
  action: classes.paletteAction ?? '',
  actionsGroup: classes.paletteGroup ?? '',
  content: classes.paletteContent ?? '',
}

/** Matches shown per kind of object. */
const hitsPerKind = 5

interface Entry {
  id: string
  label: string
  description?: string
  icon: IconType
  run: () => void
}

/** The command palette (Ctrl/Cmd+K): screens, objects by name, and the main actions. */
export default function CommandPalette({ calls }: { calls: number }) {
  const { t } = useTranslation()
  const [query, setQuery] = useState('')
  const [settled] = useDebouncedValue(query.trim(), 180)
  const screensFound = matching(useScreenEntries(), query)
  const actionsFound = matching(useActionEntries(), query)
  const things = useThings(settled)

  useEffect(() => {
    if (calls > 0) spotlight.open()
  }, [calls])

  const groups = [
    { title: t('palette.things'), entries: things.entries },
    { title: t('palette.screens'), entries: screensFound.slice(0, query ? 12 : 8) },
    { title: t('palette.actions'), entries: actionsFound },
  ].filter((group) => group.entries.length > 0)

  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
      classNames={paletteClasses}
      attributes={{ content: { 'aria-label': t('palette.open') } }}
      scrollable
      maxHeight={440}
      radius={12}
      size={600}
    >
      <Spotlight.Search
        placeholder={t('palette.placeholder')}
        leftSection={<Icon of={IconSearch} />}
        aria-label={t('palette.open')}
      />
      <Spotlight.ActionsList>
        {groups.map((group) => (
          <Spotlight.ActionsGroup key={group.title} label={group.title}>
            {group.entries.map((entry) => (
              <Spotlight.Action
                key={entry.id}
                label={entry.label}
                {...(entry.description ? { description: entry.description } : {})}
                leftSection={<Icon of={entry.icon} />}
                onClick={entry.run}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 ? (
          <Spotlight.Empty>
            {things.searching ? t('common.loading') : t('palette.nothing', { query })}
          </Spotlight.Empty>
        ) : null}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

function useOpen(): (to: string) => () => void {
  const navigate = useNavigate()
  return (to) => () => void navigate(toLocation(to))
}

function useScreenEntries(): Entry[] {
  const { t } = useTranslation()
  const session = useSession()
  const open = useOpen()
  return screens
    .filter(
      (screen) =>
        screen.layout === 'shell' && !screen.path.includes('$') && sessionMeets(session, screen.rule),
    )
    .filter(
      (screen) => !screen.path.startsWith(classic) || session.status !== 'user' || !session.flags.hideIotHub,
    )
    .sort((a, b) => drawerRank(a.path) - drawerRank(b.path))
    .map((screen) => ({
      id: screen.path,
      label: t(`screens.${screen.key}.title`),
      icon:
        navigation
          .flatMap((group) => group.items)
          .find((item) => activeNavPath([{ key: 'help', items: [item] }], screen.path))?.icon ?? IconSearch,
      run: open(screen.path),
    }))
}

function useActionEntries(): Entry[] {
  const { t } = useTranslation()
  const session = useSession()
  const navigate = useNavigate()
  const open = useOpen()
  const { toggle } = useSchemeSwitch()
  const other = currentLanguage() === 'de' ? 'en' : 'de'
  const entries: (Entry & { shown: boolean })[] = [
    {
      id: 'create-device',
      label: t('palette.createDevice'),
      icon: IconPlus,
      run: open('/virtual-devices?create=1'),
      shown: sessionCan(session, 'VirtualDevice', 'write') || sessionCan(session, 'VirtualDevice', 'manage'),
    },
    {
      id: 'create-twin',
      label: t('palette.createTwin'),
      icon: IconPlus,
      run: open('/digitaltwin-mgmt?create=1'),
      shown: sessionCan(session, 'DigitalTwin', 'write') || sessionCan(session, 'DigitalTwin', 'manage'),
    },
    {
      id: 'create-dashboard',
      label: t('palette.createDashboard'),
      icon: IconPlus,
      run: open('/dashboards?create=1'),
      shown: sessionCan(session, 'Dashboards', 'manage'),
    },
    {
      id: 'create-connector',
      label: t('palette.createConnector'),
      icon: IconPlus,
      run: open('/connectors/create'),
      shown: sessionCan(session, 'all', 'manage'),
    },
    { id: 'scheme', label: t('palette.switchScheme'), icon: IconMoon, run: toggle, shown: true },
    {
      id: 'language',
      label: t('palette.switchLanguage', { language: t(`common.languages.${other}`) }),
      icon: IconLanguage,
      run: () => {
        void setLanguage(other)
        saveUserDefaults({ language: other }).catch((error: unknown) => notifyError(error))
      },
      shown: true,
    },
    {
      id: 'sign-out',
      label: t('auth.signOut'),
      icon: IconLogout,
      run: () => void logout().then(() => navigate({ to: '/login' })),
      shown: true,
    },
  ]
  return entries.filter((entry) => entry.shown)
}

/** Twins, devices, dashboards and connectors whose name or id matches; a kind the user may not read stays empty. */
function useThings(text: string): { entries: Entry[]; searching: boolean } {
  const { t } = useTranslation()
  const session = useSession()
  const open = useOpen()
  const can = (path: string) => {
    const screen = screens.find((each) => each.path === path)
    return screen !== undefined && sessionMeets(session, screen.rule)
  }
  const search = useQuery({
    queryKey: ['palette', text],
    enabled: text.length > 0,
    placeholderData: keepPreviousData,
    queryFn: () => searchThings(text, can),
  })
  if (text.length === 0 || !search.data) return { entries: [], searching: search.isFetching }
  const { twins, devices, dashboards, connectors } = search.data
  return {
    searching: search.isFetching,
    entries: [
      ...twins.map((twin) => ({
        id: `twin-${twin.id}`,
        label: twin.title,
        description: [t('palette.kinds.twin'), twin.parentTitle].filter(Boolean).join(' · '),
        icon: IconHierarchy3,
        run: open(`/digitaltwin-mgmt/${twin.id}`),
      })),
      ...devices.map((device) => ({
        id: `device-${device.id}`,
        label: device.title,
        description: `${t('palette.kinds.device')} · ${device.externalId}`,
        icon: IconCpu,
        run: open(`/virtual-devices/${device.id}`),
      })),
      ...dashboards.map((dashboard) => ({
        id: `dashboard-${dashboard.id}`,
        label: dashboard.name,
        description: `${t('palette.kinds.dashboard')} · ${dashboard.accountName}`,
        icon: IconLayoutDashboard,
        run: open(`/dashboards/${dashboard.id}`),
      })),
      ...connectors.map((connector) => ({
        id: `connector-${connector.id}`,
        label: connector.name,
        description: t('palette.kinds.connector'),
        icon: IconPlugConnected,
        run: open(`/connectors/edit/${connector.accountId}/${connector.id}`),
      })),
    ],
  }
}

async function searchThings(text: string, can: (path: string) => boolean) {
  const none = { items: [] }
  const [twins, devices, dashboards, connectors] = await Promise.all([
    can('/digitaltwin-mgmt') ? client.digitaltwin.list({ search: text, limit: hitsPerKind }) : none,
    can('/virtual-devices') ? client.virtualdevice.list({ search_items: text, limit: hitsPerKind }) : none,
    can('/dashboards') ? client.dashboards.list({ search: text, limit: hitsPerKind }) : none,
    can('/connectors/list') ? client.bridge.list({ search: text, limit: hitsPerKind }) : none,
  ])
  return {
    twins: twins.items,
    devices: devices.items,
    dashboards: dashboards.items,
    connectors: connectors.items,
  }
}
