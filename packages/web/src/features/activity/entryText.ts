import { RoleLine, RoleName, roleKeyNamed } from '@leitstand/contract/roles'
import type { TFunction } from 'i18next'
import * as z from 'zod'
import { roleText } from '../../ui/accounts/roleText.ts'

/** Strict, so that other objects with a name are not mistaken for a role. */
const Role = z.strictObject(RoleName.shape)
const Access = z.strictObject({ role: Role, scope: z.string(), isMain: z.boolean() })
const Rule = z.strictObject(RoleLine.shape)

/** A value in words: a role, an access entry or a role's rule; undefined for all others. */
export function valueText(t: TFunction, value: unknown): string | undefined {
  const role = Role.safeParse(value)
  if (role.success) return roleText(t, role.data)
  const access = Access.safeParse(value)
  if (access.success) {
    const { scope, isMain } = access.data
    return t(isMain ? 'systemLogs.accessMain' : 'systemLogs.access', {
      role: roleText(t, access.data.role),
      scope,
    })
  }
  const rule = Rule.safeParse(value)
  if (!rule.success) return undefined
  const { subject, actions, inverted } = rule.data
  return t(inverted ? 'systemLogs.ruleTaken' : 'systemLogs.ruleGiven', {
    subject: t(`permissions.subjects.${subject.replace('.', '_')}`),
    actions: actions.map((action) => t(`permissions.actions.${action}`)).join(', '),
  })
}

/** The title of an entry's object; built-in roles are named in the console's language. */
export function titleText(
  t: TFunction,
  entry: { subject: string; accountId: number | null; objectId: number | null; objectTitle: string },
): string {
  const { subject, accountId, objectId, objectTitle } = entry
  // A role without an account that has a built-in role's name is that role: names are unique there.
  const key = subject === 'Role' && accountId === null ? roleKeyNamed(objectTitle) : null
  if (key !== null) return roleText(t, { name: objectTitle, key })
  return objectTitle || (objectId === null ? '–' : `#${objectId}`)
}

/** A field's display name; its key if it has none. */
export function fieldText(t: TFunction, field: string): string {
  return field
    .split('.')
    .map((part) => t(`systemLogs.changed.${part}`, { defaultValue: part }))
    .join(' › ')
}

/** A text or number of a list; undefined for all others. */
export function plainText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Whether a text is a time of the API. */
export function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)
}

/** Who acted, as an entry records it. */
interface Actor {
  userId: number | null
  userName: string
  impersonatorName: string | null
  applicationName: string | null
}

/** Actions of the platform itself: the name in the log, and its text key. */
const ownDeeds = new Map([
  ['first start', 'firstStart'],
  ['reset-admin', 'resetAdmin'],
  ['retention', 'retention'],
  ['announcements', 'announcements'],
  // The delivered drivers.
  ['Leitstand', 'delivered'],
])

/** The user of an entry; for impersonation or an application, also who acted on their behalf. */
export function whoText(
  t: TFunction,
  { userId, userName, impersonatorName, applicationName }: Actor,
): string {
  const deed = userId === null ? ownDeeds.get(userName) : undefined
  if (deed) return t(`systemLogs.by.${deed}`)
  if (applicationName) return t('systemLogs.actsAs', { impersonator: applicationName, name: userName })
  if (impersonatorName) return t('systemLogs.actsAs', { impersonator: impersonatorName, name: userName })
  return userName || t('systemLogs.system')
}
