import type { ManualPageName } from './pages.ts'

/** Where the pages of the manual belong; the longest beginning of a path counts. */
const places: readonly (readonly [path: string, page: ManualPageName])[] = [
  ['/home', 'finding'],
  ['/user-profile', 'profile'],
  ['/help', 'start'],
  ['/api', 'access'],
  ['/dashboards', 'dashboards'],
  ['/alarm-log', 'alarms'],
  ['/fm-ticketing-mgmt', 'tickets'],
  ['/fm-access', 'keys'],
  ['/fm-access-mgmt', 'keys'],
  ['/fm-add-ticket', 'tickets'],
  ['/fm-ticket-success', 'tickets'],
  ['/is-assetmgmt', 'assets'],
  ['/is-warnapp-admin', 'warnapp'],
  ['/digitaltwin/rules-monitor', 'rules'],
  ['/trace', 'rules'],
  ['/digitaltwin', 'twins'],
  ['/virtual-devices', 'devices'],
  ['/virtual-device-groups', 'templates'],
  ['/virtual-device-drivers', 'drivers'],
  ['/device-templates', 'templates'],
  ['/connectors', 'connectors'],
  ['/background-jobs', 'exports'],
  ['/scheduled-exports', 'exports'],
  ['/account-mgmt', 'accounts'],
  ['/account-mgmt-roles', 'roles'],
  ['/account-mgmt-modules', 'settings'],
  ['/account-mgmt-flags', 'settings'],
  ['/account-mgmt-announcements', 'settings'],
  ['/system-settings', 'settings'],
  ['/setup', 'settings'],
  ['/drawer-links', 'settings'],
  ['/system-logs', 'operating'],
  ['/superadmin-terminal', 'operating'],
  ['/leitstand-classic', 'access'],
]

/** Pure. The page of the manual about a screen; undefined if there is none. */
export function helpFor(path: string): ManualPageName | undefined {
  return places
    .filter(([begin]) => path.startsWith(begin))
    .toSorted(([one], [other]) => other.length - one.length)[0]?.[1]
}
