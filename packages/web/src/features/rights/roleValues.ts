import { RoleInput } from '@leitstand/contract/roles'
import i18next from 'i18next'
import { check } from '../../lib/validation.ts'
import type { Role } from '../../ui/accounts/roles.ts'
import { roleDescription, roleText } from '../../ui/accounts/roleText.ts'
import { type Matrix, toMatrix, toRules } from './matrix.ts'

export interface RoleValues extends Record<string, unknown> {
  accountId: string | null
  name: string
  description: string
  icon: string | null
  matrix: Matrix
}

export function toValues(role: Role): RoleValues {
  return {
    accountId: role.accountId === null ? null : String(role.accountId),
    ...textsOf(role),
    icon: role.icon,
    matrix: toMatrix(role.rules),
  }
}

/** Name and description of a role in the user's language. */
export function textsOf(role: Role) {
  return { name: roleText(i18next.t, role), description: roleDescription(i18next.t, role) }
}

const faultsOf = check(RoleInput)

/** Errors by form field. */
export function checkRole(values: RoleValues): Record<string, string> {
  return faultsOf(toInput(values))
}

export function toInput({ name, description, icon, matrix }: RoleValues) {
  return { name, description, icon, rules: toRules(matrix) }
}

/** Input for updating a role. Built-in texts that were only displayed translated are sent unchanged. */
export function toUpdate(role: Role, values: RoleValues) {
  const shown = textsOf(role)
  const isUnchanged = values.name === shown.name && values.description === shown.description
  const { name, description } = isUnchanged ? role : values
  return { ...toInput(values), id: role.id, name, description }
}
