import {
  IconActivityHeartbeat,
  IconAlertTriangle,
  IconApi,
  IconBroadcast,
  IconBuildingCommunity,
  IconBuildingWarehouse,
  IconCpu,
  IconDatabase,
  IconGauge,
  IconHelpCircle,
  IconHierarchy3,
  IconHome,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconPlugConnected,
  IconRoute,
  IconSettings,
  IconShieldLock,
  IconSpeakerphone,
  IconTerminal2,
  IconTicket,
  IconToggleRight,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { classic, screenByPath } from './routes.ts'

export type NavIcon = ComponentType<{ size?: number | string; stroke?: number | string }>

/** One entry of the drawer; its label is the title of the screen it leads to, unless `label` names another text. */
export interface NavItem {
  path: string
  icon: NavIcon
  label?: string
  /** Shown only while this feature flag is on; with a leading `!` only while it is off. */
  flag?: string
  children?: readonly { path: string; flag?: string }[]
}

export interface NavGroup {
  key: 'applications' | 'connectivity' | 'administration' | 'facility' | 'help'
  items: readonly NavItem[]
}

/** The drawer, in the order of the specification (1, section 2). Entries a user may not open are left out. */
export const navigation: readonly NavGroup[] = [
  {
    key: 'applications',
    items: [
      { path: '/home', icon: IconHome },
      { path: '/digitaltwin-mgmt', icon: IconHierarchy3 },
      { path: '/digitaltwin/rules-monitor', icon: IconRoute },
      { path: '/dashboards', icon: IconLayoutDashboard },
      { path: '/digitaltwin-state-overview', icon: IconGauge },
      {
        path: '/is-assetmgmt/assets',
        icon: IconBuildingWarehouse,
        label: 'nav.assets',
        children: [
          { path: '/is-assetmgmt/assets' },
          { path: '/is-assetmgmt/zones' },
          { path: '/is-assetmgmt/map' },
        ],
      },
      { path: '/is-warnapp-admin', icon: IconSpeakerphone },
    ],
  },
  {
    key: 'connectivity',
    items: [
      {
        path: '/virtual-devices',
        icon: IconCpu,
        label: 'nav.deviceManagement',
        children: [
          { path: '/virtual-devices' },
          { path: '/virtual-device-groups' },
          { path: '/virtual-device-drivers' },
          { path: '/device-templates' },
        ],
      },
      {
        path: '/alarm-logs',
        icon: IconAlertTriangle,
        label: 'nav.alarms',
        children: [{ path: '/alarm-logs' }, { path: '/alarm-log-reports' }],
      },
      {
        path: '/connectors/list',
        icon: IconPlugConnected,
        label: 'nav.integrations',
        children: [
          { path: '/connectors/list' },
          { path: '/connectors/consumers/list' },
          { path: '/connectors/consumers/filters' },
          { path: '/connectors/consumers/transformers' },
        ],
      },
      {
        path: `${classic}/devices`,
        icon: IconDatabase,
        label: 'nav.dataHub',
        flag: '!hideIotHub',
        children: [
          { path: `${classic}/devices` },
          { path: `${classic}/device-types` },
          { path: `${classic}/device-monitoring` },
          { path: `${classic}/gw-mgmt` },
          { path: `${classic}/applications` },
          { path: `${classic}/originators` },
          { path: `${classic}/data-sources` },
          { path: `${classic}/consumers` },
          { path: `${classic}/service-builders` },
        ],
      },
    ],
  },
  {
    key: 'administration',
    items: [
      { path: '/account-mgmt', icon: IconUsers },
      { path: '/account-mgmt-roles', icon: IconShieldLock },
      { path: '/user-profile', icon: IconUserCircle },
      { path: '/system-settings', icon: IconSettings },
      { path: '/account-mgmt-announcements', icon: IconBroadcast },
      { path: '/account-mgmt-modules', icon: IconToggleRight },
      { path: '/background-jobs', icon: IconListDetails },
      { path: '/system-logs', icon: IconActivityHeartbeat },
      { path: '/superadmin-terminal', icon: IconTerminal2 },
    ],
  },
  {
    key: 'facility',
    items: [
      { path: '/fm-add-ticket', icon: IconTicket },
      { path: '/fm-ticketing-mgmt', icon: IconBuildingCommunity },
      { path: '/fm-access', icon: IconKey, flag: 'hasAccessKeys' },
    ],
  },
  {
    key: 'help',
    items: [
      { path: '/help', icon: IconHelpCircle },
      { path: '/api', icon: IconApi },
    ],
  },
]

/** What the drawer needs to know about the user. */
export interface NavViewer {
  mayOpen(path: string): boolean
  flag(name: string): boolean
}

function flagShows(flag: string | undefined, viewer: NavViewer): boolean {
  if (flag === undefined) return true
  return flag.startsWith('!') ? !viewer.flag(flag.slice(1)) : viewer.flag(flag)
}

/**
 * The drawer for one user: without entries they may not open and without empty groups. A parent whose own
 * screen they may not open links to its first permitted child.
 */
export function visibleNavigation(groups: readonly NavGroup[], viewer: NavViewer): NavGroup[] {
  return groups.flatMap((group) => {
    const items = group.items.flatMap((item) => {
      if (!flagShows(item.flag, viewer)) return []
      if (!item.children) return viewer.mayOpen(item.path) ? [item] : []
      const children = item.children.filter(
        (child) => flagShows(child.flag, viewer) && viewer.mayOpen(child.path),
      )
      const first = children[0]
      return first ? [{ ...item, path: first.path, children }] : []
    })
    return items.length > 0 ? [{ ...group, items }] : []
  })
}

/** Text key of an entry's label. */
export function navLabel(item: { path: string; label?: string }): string {
  return item.label ?? `screens.${screenByPath(item.path)?.key ?? 'error'}.title`
}

/**
 * The entry of the drawer that a path belongs to: the longest entry path that is the path itself or a prefix of it.
 */
export function activeNavPath(groups: readonly NavGroup[], pathname: string): string | undefined {
  const paths = groups.flatMap((group) =>
    group.items.flatMap((item) => [item.path, ...(item.children?.map((child) => child.path) ?? [])]),
  )
  const aliases: Record<string, string> = {
    '/connectors/create': '/connectors/list',
    '/connectors/edit': '/connectors/list',
  }
  const wanted = Object.entries(aliases).find(([prefix]) => pathname.startsWith(prefix))?.[1] ?? pathname
  return paths
    .filter((path) => wanted === path || wanted.startsWith(`${path}/`))
    .sort((a, b) => b.length - a.length)[0]
}
