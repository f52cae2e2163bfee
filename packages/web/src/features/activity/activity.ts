import type { ListParams } from '../../ui/list/types.ts'

/** Subjects of activity entries; each name is a text key. */
export const activitySubjects = [
  'VirtualDevice',
  'DigitalTwin',
  'State',
  'DeviceDriver',
  'Connector',
  'Rule',
  'Dashboard',
  'Tenant',
  'Module',
  'Brand',
  'DrawerLinks',
  'User',
  'Role',
  'DefaultRoles',
  'ApiKey',
  'Application',
  'SsoClient',
  'Retention',
  'Alarm',
  'AlarmSettings',
  'AlarmMaintenance',
  'AlarmNotification',
  'Export',
  'ExportSchedule',
  'AlarmReport',
  'Ticket',
  'Asset',
  'WarnMonitor',
  'DoorKey',
  'Lock',
  'LockGroup',
  'Announcement',
  'MailTemplate',
  'Terminal',
  'ServiceBuilder',
] as const

/** The most frequent actions; each name is a text key. */
export const activityActions = [
  'create',
  'update',
  'delete',
  'move',
  'publish',
  'login',
  'logout',
  'lock',
  'impersonate',
  'changePassword',
  'acceptTerms',
  'activate',
] as const

/** How far back the filter "since" looks, in hours. */
export const sinceHours = [1, 24, 168, 720] as const

/** The filter from the state of the list; used for the list and for the export. */
export function activityFilter({ search, accountIds, filters }: ListParams, nowMs: number) {
  const hours = sinceHours.find((each) => String(each) === filters.since?.[0])
  // Rounded to the minute, so that the same filter keeps the same query key for a while.
  const minuteMs = Math.floor(nowMs / 60_000) * 60_000
  const since = hours === undefined ? undefined : minuteMs - hours * 3_600_000
  const from = dayOf(filters.from?.[0])?.startMs
  const to = dayOf(filters.to?.[0])?.endMs
  const begin = Math.max(since ?? Number.NEGATIVE_INFINITY, from ?? Number.NEGATIVE_INFINITY)
  const objectId = idOf(filters.object?.[0])
  const userIds = (filters.user ?? []).flatMap((id) => idOf(id) ?? [])
  return {
    search,
    accountIds,
    userIds: userIds.length > 0 ? userIds : undefined,
    subject: filters.subject?.[0],
    action: filters.action?.[0],
    objectId,
    from: Number.isFinite(begin) ? new Date(begin).toISOString() : undefined,
    to: to === undefined ? undefined : new Date(to).toISOString(),
  }
}

/** Input of the activity log from the state of the list. */
export function activityInput(params: ListParams, nowMs: number) {
  return { offset: params.offset, limit: params.limit, ...activityFilter(params, nowMs) }
}

/** Parses a day, `2026-03-04` or `4.3.2026`, in the browser's time zone; undefined for anything else. */
export function dayOf(text: string | undefined): { startMs: number; endMs: number } | undefined {
  const iso = /^\s*(\d{4})-(\d{1,2})-(\d{1,2})\s*$/.exec(text ?? '')
  const german = /^\s*(\d{1,2})\.(\d{1,2})\.(\d{4})\s*$/.exec(text ?? '')
  const parts = iso ? iso.slice(1) : german ? german.slice(1).reverse() : undefined
  if (!parts) return undefined
  const [year = 0, month = 0, day = 0] = parts.map(Number)
  const start = new Date(year, month - 1, day)
  const isThatDay = start.getFullYear() === year && start.getMonth() === month - 1 && start.getDate() === day
  if (!isThatDay) return undefined
  return { startMs: start.getTime(), endMs: new Date(year, month - 1, day + 1).getTime() }
}

function idOf(text: string | undefined): number | undefined {
  const id = Number(text)
  return Number.isSafeInteger(id) && id > 0 && id < 2 ** 31 ? id : undefined
}

/** The screen of an entry's object; null if it has none or was deleted. */
export function activityPath(entry: {
  subject: string
  action: string
  objectId: number | null
  accountId: number | null
}): string | null {
  const { subject, objectId, accountId } = entry
  if (objectId === null || entry.action === 'delete') return null
  const paths: Record<string, string> = {
    VirtualDevice: '/virtual-devices/',
    DigitalTwin: '/digitaltwin-mgmt/',
    DeviceDriver: '/virtual-device-drivers/',
    Dashboard: '/dashboards/',
    Tenant: '/account-mgmt/',
    Role: '/account-mgmt-roles?role=',
    Module: '/account-mgmt-modules?account=',
  }
  if (accountId !== null && subject === 'Connector') return `/connectors/edit/${accountId}/${objectId}`
  if (accountId !== null && subject === 'User') return `/account-mgmt/user/${accountId}/${objectId}`
  const path = paths[subject]
  return path === undefined ? null : `${path}${objectId}`
}

/** A changed field: before and after, or only the new value. */
export type Change = { field: string; before: unknown; after: unknown } | { field: string; value: unknown }

/**
 * The changes of an entry, field by field. Entries record a change as `[before, after]` or as `{ before,
 * after }`; for created or deleted objects they hold the plain values.
 */
export function changesOf(action: string, changes: unknown): Change[] {
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) return []
  const isWhole = action === 'create' || action === 'delete'
  return Object.entries(changes).flatMap(([field, value]: [string, unknown]): Change[] => {
    if (!isWhole && Array.isArray(value) && value.length === 2) return inParts(field, value[0], value[1])
    if (!isWhole && isBeforeAndAfter(value)) return inParts(field, value.before, value.after)
    // Skip fields left empty on creation.
    return isEmpty(value) ? [] : [{ field, value }]
  })
}

const partsDeep = 3

/** Splits nested settings into those that differ, each by its path: `passwordPolicy.minLength`. */
function inParts(field: string, before: unknown, after: unknown, depth = 0): Change[] {
  const [old, next] = [partsOf(before), partsOf(after)]
  if (!old || !next || (before === null && after === null) || depth === partsDeep)
    return [{ field, before, after }]
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .map((key) => ({ key, was: partOf(old, key), is: partOf(next, key) }))
    .filter(({ was, is }) => JSON.stringify(was) !== JSON.stringify(is))
    .flatMap(({ key, was, is }) => inParts(`${field}.${key}`, was, is, depth + 1))
}

/** A key may be called like something every object has: `constructor`. */
function partOf(parts: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(parts, key) ? (parts[key] ?? null) : null
}

/** Null for a single value: a string, a list, or a role with its name. */
function partsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value) || ('name' in value && 'key' in value)) return null
  return value as Record<string, unknown>
}

function isBeforeAndAfter(value: unknown): value is { before: unknown; after: unknown } {
  if (typeof value !== 'object' || value === null) return false
  const keys = Object.keys(value)
  return keys.length === 2 && 'before' in value && 'after' in value
}

/** Null, an empty string, list or object. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
