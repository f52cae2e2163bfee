import { AccountBounds, AccountInput } from '@leitstand/contract/accounts'
import { check } from '../../lib/validation.ts'
import type { Account } from './queries.ts'

/** The form of an account; fields have the names of the input, so that the server's errors find them. */
export interface AccountValues extends Record<string, unknown> {
  name: string
  description: string
  timeZone: string
  bounds: Bounds
  ownPolicy: boolean
  passwordPolicy: { minLength: number; upperAndLower: boolean; numbers: boolean; special: boolean }
  /** empty inherits */
  terms: string
  renewConsent: boolean
  feedback: { bug: string[]; featureRequest: string[] }
}

/** Limits and retention; null inherits. */
type Bounds = { [name in keyof AccountBounds]-?: number | null }

/** Minimum password length if no account sets one. */
export const leastLength = 8

/** Empty values are inherited from the account above, or from the installation at the top. */
export function placeOf({ parentId }: Pick<Account, 'parentId'>): 'top' | 'below' {
  return parentId === null ? 'top' : 'below'
}

export function toAccountValues(account: Account): AccountValues {
  const policy = account.passwordPolicy
  return {
    name: account.name,
    description: account.description,
    timeZone: account.timeZone,
    bounds: boundsOf(account),
    ownPolicy: policy !== null,
    passwordPolicy: {
      minLength: policy?.minLength ?? leastLength,
      upperAndLower: policy?.upperAndLower ?? false,
      numbers: policy?.numbers ?? false,
      special: policy?.special ?? false,
    },
    terms: account.terms ?? '',
    renewConsent: false,
    feedback: { bug: account.feedback.bug, featureRequest: account.feedback.featureRequest },
  }
}

function boundsOf({ limits, ownRetentionMonths, messagesPerSecond }: Account): Bounds {
  return {
    devices: limits.devices.own,
    templates: limits.templates.own,
    fileMegabytes: limits.files.own,
    bulkDevices: limits.bulk.own,
    csvRows: limits.csvExport.own,
    ruleMails: limits.ruleMails.own,
    retentionMonths: ownRetentionMonths,
    messagesPerSecond,
  }
}

/** The input for saving. Only changed bounds are sent, because they need more rights than the rest. */
export function toAccountInput(values: AccountValues, account: Account) {
  const before = boundsOf(account)
  const bounds = Object.fromEntries(
    Object.entries(values.bounds).filter(([name, value]) => value !== before[name as keyof Bounds]),
  )
  return { ...inputOf(values), bounds }
}

function inputOf(values: AccountValues) {
  return {
    name: values.name,
    description: values.description,
    timeZone: values.timeZone,
    passwordPolicy: values.ownPolicy ? values.passwordPolicy : null,
    terms: values.terms.trim() === '' ? null : values.terms,
    feedback: values.feedback,
    renewConsent: values.renewConsent,
    bounds: values.bounds,
  }
}

const faultsOf = check(AccountInput.extend({ bounds: AccountBounds }))

/** Errors by form field; errors of list entries are shown at the list. */
export function checkAccount(values: AccountValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(faultsOf(inputOf(values))).map(([path, text]) => [path.replace(/\.\d+$/, ''), text]),
  )
}
