import { type AccessRule, anyOf, may } from '@leitstand/contract/permissions'
import {
  IconActivityHeartbeat,
  IconAlertTriangle,
  IconApi,
  IconArrowsSplit2,
  IconBinary,
  IconBroadcast,
  IconBuildingWarehouse,
  IconCalendarClock,
  IconCpu,
  IconDatabase,
  IconFilter,
  IconGauge,
  IconHelpCircle,
  IconHierarchy3,
  IconHome,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconPlugConnected,
  IconReport,
  IconRoute,
  IconSettings,
  IconShieldLock,
  IconSpeakerphone,
  IconStack2,
  IconTemplate,
  IconTerminal2,
  IconTicket,
  IconToggleRight,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { classic, screenByPath } from './routes.ts'

export type NavIcon = ComponentType<{ size?: number | string; stroke?: number | string }>

/** One entry of the drawer; its label is the title of the screen it leads to. */
export interface NavItem {
  path: string
  icon: NavIcon
  /** Shown only while this feature flag is on; with a leading `!` only while it is off. */
  flag?: string
  /** While this flag is on, the entry leads to another screen, if that one is built. */
  swap?: { flag: string; path: string }
}

export interface NavGroup {
  key: 'watch' | 'things' | 'connect' | 'manage' | 'facility' | 'dataHub' | 'help'
  items: readonly NavItem[]
}

/**
 * The drawer, by what people do. It names every screen of the specification that needs no parameters;
 * entries a user may not open, and those whose screen is not built, are left out.
 */
export const navigation: readonly NavGroup[] = [
  {
    key: 'watch',
    items: [
      { path: '/home', icon: IconHome },
      { path: '/dashboards', icon: IconLayoutDashboard },
      { path: '/alarm-logs', icon: IconAlertTriangle },
      { path: '/alarm-log-reports', icon: IconReport },
      { path: '/digitaltwin/rules-monitor', icon: IconRoute, flag: 'rulesMonitor' },
      { path: '/digitaltwin-state-overview', icon: IconGauge },
    ],
  },
  {
    key: 'things',
    items: [
      { path: '/digitaltwin-mgmt', icon: IconHierarchy3 },
      { path: '/virtual-devices', icon: IconCpu },
      { path: '/virtual-device-groups', icon: IconStack2 },
      { path: '/background-jobs', icon: IconListDetails },
      { path: '/scheduled-exports', icon: IconCalendarClock },
    ],
  },
  {
    key: 'connect',
    items: [
      { path: '/connectors/list', icon: IconPlugConnected },
      {
        path: '/virtual-device-drivers',
        icon: IconBinary,
        swap: { flag: 'deviceTypes', path: `${classic}/device-types` },
      },
      { path: '/device-templates', icon: IconTemplate },
      { path: '/connectors/consumers/list', icon: IconArrowsSplit2 },
      { path: '/connectors/consumers/filters', icon: IconFilter },
      { path: '/connectors/consumers/transformers', icon: IconBinary },
    ],
  },
  {
    key: 'facility',
    items: [
      { path: '/is-assetmgmt/assets', icon: IconBuildingWarehouse },
      { path: '/is-warnapp-admin', icon: IconSpeakerphone },
      { path: '/fm-add-ticket', icon: IconTicket },
      { path: '/fm-ticketing-mgmt', icon: IconTicket },
      { path: '/fm-access', icon: IconKey, flag: 'hasAccessKeys' },
      { path: '/fm-access-mgmt', icon: IconKey },
    ],
  },
  {
    key: 'dataHub',
    items: [
      ...['devices', 'device-types', 'device-monitoring', 'gw-mgmt', 'applications', 'originators'],
      ...['data-sources', 'consumers'],
    ].map((name) => ({ path: `${classic}/${name}`, icon: IconDatabase, flag: '!hideIotHub' })),
  },
  {
    key: 'manage',
    items: [
      { path: '/account-mgmt', icon: IconUsers },
      { path: '/account-mgmt-roles', icon: IconShieldLock },
      { path: '/account-mgmt-modules', icon: IconToggleRight },
      { path: `${classic}/service-builders`, icon: IconDatabase, flag: '!hideIotHub' },
      { path: '/account-mgmt-announcements', icon: IconBroadcast },
      { path: '/system-settings', icon: IconSettings },
      { path: '/system-logs', icon: IconActivityHeartbeat },
      { path: '/superadmin-terminal', icon: IconTerminal2 },
    ],
  },
  {
    key: 'help',
    items: [
      { path: '/user-profile', icon: IconUserCircle },
      { path: '/help', icon: IconHelpCircle },
      { path: '/api', icon: IconApi },
    ],
  },
]

/** Who sees an entry, where more users may open the screen itself. */
export const entryRules: Readonly<Record<string, AccessRule>> = {
  // For users who manage tickets, the list of tickets leads there.
  '/fm-add-ticket': {
    any: [
      {
        all: [
          { subject: 'IsFmTicket', action: 'create' },
          { subject: 'IsFmTicket', action: 'read', inverted: true },
          { subject: 'IsFmTicket', action: 'manage', inverted: true },
        ],
      },
    ],
  },
  '/scheduled-exports': anyOf(may('VirtualDevice', 'read', 'manage'), may('DigitalTwin', 'read')),
}

/** What the drawer needs to know about the user. */
export interface NavViewer {
  mayOpen(path: string): boolean
  flag(name: string): boolean
}

function flagShows(flag: string | undefined, viewer: NavViewer): boolean {
  if (flag === undefined) return true
  return flag.startsWith('!') ? !viewer.flag(flag.slice(1)) : viewer.flag(flag)
}

const isBuilt = (path: string) => screenByPath(path)?.load !== undefined

function swapped(viewer: NavViewer) {
  return ({ swap, ...item }: NavItem): NavItem =>
    swap && isBuilt(swap.path) && viewer.flag(swap.flag) ? { ...item, path: swap.path } : item
}

/** The drawer for one user: without screens that are not built or that they may not open, and empty groups. */
export function visibleNavigation(groups: readonly NavGroup[], viewer: NavViewer): NavGroup[] {
  return groups.flatMap((group) => {
    const items = group.items
      .map(swapped(viewer))
      .filter(({ path, flag }) => isBuilt(path) && flagShows(flag, viewer) && viewer.mayOpen(path))
    return items.length > 0 ? [{ ...group, items }] : []
  })
}

/** Text key of an entry's label. */
export function navLabel(path: string): string {
  return `screens.${screenByPath(path)?.key ?? 'error'}.title`
}

/** The icon of the drawer for a path. */
export function navIcon(pathname: string): NavIcon | undefined {
  const path = activeNavPath(navigation, pathname)
  return navigation.flatMap(({ items }) => items).find((item) => item.path === path)?.icon
}

/**
 * The entry of the drawer that a path belongs to: the longest entry path that is the path itself or a prefix of it.
 */
export function activeNavPath(groups: readonly NavGroup[], pathname: string): string | undefined {
  const paths = groups.flatMap((group) => group.items.map((item) => item.path))
  const aliases: Record<string, string> = {
    '/connectors/create': '/connectors/list',
    '/connectors/edit': '/connectors/list',
  }
  const wanted = Object.entries(aliases).find(([prefix]) => pathname.startsWith(prefix))?.[1] ?? pathname
  return paths
    .filter((path) => wanted === path || wanted.startsWith(`${path}/`))
    .sort((a, b) => b.length - a.length)[0]
}
