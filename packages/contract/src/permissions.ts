/**
 * Subjects and actions of the permission model (specification 1, section 6), and the rule every operation carries.
 * The server checks rules before a handler runs; the console uses the same rules to decide what to show.
 */
export const subjects = [
  'all',
  'super.system',
  'IotHub',
  'UserManagement',
  'DigitalTwin',
  'DigitalTwinStates',
  'VirtualDevice',
  'DeviceDriver',
  'DeviceTemplate',
  'Dashboards',
  'IsFmAccess',
  'IsFmTicket',
  'IsWarnapp',
  'IsAssetMgmt',
  'InfluxDB',
  'PublicSharing',
] as const
export type Subject = (typeof subjects)[number]

export const actions = ['read', 'write', 'create', 'list', 'manage', 'impersonate'] as const
export type Action = (typeof actions)[number]

/** The optional parts of the platform, defined in modules.ts. */
export const moduleKeys = [
  'facility',
  'warnapp',
  'assets',
  'dashboards',
  'publicDashboard',
  'classicHub',
] as const
export type ModuleKey = (typeof moduleKeys)[number]

export interface Permission {
  subject: Subject
  action: Action
}

/** One rule of a role; `inverted` takes a permission away again. */
export interface RoleRule {
  subject: Subject
  actions: Action[]
  inverted?: boolean | undefined
}

/** A permission that a rule wants; `inverted` wants that the caller does not have it. */
export interface WantedPermission extends Permission {
  inverted?: true
}

/**
 * Who may call an operation, open a screen or sees an entry of the menu: `public` — anyone, `session` — anyone who is
 * signed in, `any` — callers with one of the permissions, `all` — callers with all of them.
 */
export type AccessRule =
  | 'public'
  | 'session'
  | { any: readonly (WantedPermission | { all: readonly WantedPermission[] })[] }

/** Shorthand: `may('VirtualDevice', 'read', 'manage')` = VirtualDevice read or manage. */
export function may(subject: Subject, ...allowed: Action[]): AccessRule {
  return { any: allowed.map((action) => ({ subject, action })) }
}

/** Combines several `any` rules with or. */
export function anyOf(...rules: AccessRule[]): AccessRule {
  return { any: rules.flatMap((rule) => (typeof rule === 'string' ? [] : rule.any)) }
}

/**
 * Whether a rule is met.
 * @param can returns whether the caller has a single permission, in any of the caller's scopes
 */
export function isAllowed(
  rule: AccessRule,
  signedIn: boolean,
  can: (subject: Subject, action: Action) => boolean,
): boolean {
  if (rule === 'public') return true
  if (!signedIn) return false
  if (rule === 'session') return true
  const has = ({ subject, action, inverted }: WantedPermission) =>
    can(subject, action) !== (inverted ?? false)
  return rule.any.some((alternative) =>
    'all' in alternative ? alternative.all.every(has) : has(alternative),
  )
}
