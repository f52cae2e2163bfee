import { RoleLine, RoleName, roleKeyNamed } from '@leitstand/contract/roles'
import type { TFunction } from 'i18next'
import * as z from 'zod'
import { roleText } from '../../ui/accounts/roles.ts'

/** Nothing but these fields, so that other things with a name are not taken for a role. */
const Role = z.strictObject(RoleName.shape)
const Access = z.strictObject({ role: Role, scope: z.string(), isMain: z.boolean() })
const Rule = z.strictObject(RoleLine.shape)

/** A value of an entry in words: a role, a role somebody has on a scope, a line of a role; undefined for all others. */
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

/** What an entry is about, by name; of a role of the platform in the language of the console. */
export function titleText(
  t: TFunction,
  entry: { subject: string; accountId: number | null; objectId: number | null; objectTitle: string },
): string {
  const { subject, accountId, objectId, objectTitle } = entry
  // A role of no account that is called as the platform calls it is the platform's: names are unique there.
  const key = subject === 'Role' && accountId === null ? roleKeyNamed(objectTitle) : null
  if (key !== null) return roleText(t, { name: objectTitle, key })
  return objectTitle || (objectId === null ? '–' : `#${objectId}`)
}
