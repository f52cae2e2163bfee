/** Maximum recently opened objects of all users of this browser. */
const recentMax = 36

const kinds = [
  'digitalTwin',
  'virtualDevice',
  'dashboard',
  'smartGroup',
  'ticket',
  'asset',
  'warnMonitor',
  'lock',
] as const
export type RecentKind = (typeof kinds)[number]

export interface Recent {
  userId: number
  kind: RecentKind
  id: number
  title: string
  at: number
}

/** Whether a stored value is an entry that this version can link to. */
export function isRecent(value: unknown): value is Recent {
  if (typeof value !== 'object' || value === null) return false
  const { userId, kind, id, title } = value as Partial<Record<keyof Recent, unknown>>
  const isKnown = kinds.some((each) => each === kind)
  return isKnown && typeof userId === 'number' && typeof id === 'number' && typeof title === 'string'
}

/** The entries with one more in front, each object of a user once. */
export function withRecent(entries: readonly Recent[], entry: Recent): Recent[] {
  const { userId, kind, id } = entry
  const others = entries.filter((each) => each.userId !== userId || each.kind !== kind || each.id !== id)
  return [entry, ...others].slice(0, recentMax)
}

/** The page of an object, with its query. */
export function thingPath(kind: RecentKind, id: number): string {
  const paths: Record<RecentKind, string> = {
    digitalTwin: '/digitaltwin-mgmt/',
    virtualDevice: '/virtual-devices/',
    dashboard: '/dashboards/',
    smartGroup: '/virtual-device-groups/',
    ticket: '/fm-ticketing-mgmt?ticket=',
    asset: '/is-assetmgmt/assets/',
    warnMonitor: '/is-warnapp-viewer?twins=',
    lock: '/fm-access?door=',
  }
  return paths[kind] + id
}
