import { AccountInput } from '@leitstand/contract/accounts'
import { check } from '../../lib/validation.ts'
import type { Account } from './queries.ts'

/** The form of an account. */
export interface AccountValues extends Record<string, unknown> {
  name: string
  description: string
  timeZone: string
  /** months; null inherits */
  retention: number | null
  /** null: the platform's default */
  messagesPerSecond: number | null
  /** rows of a CSV file; null inherits */
  csvRows: number | null
  /** null inherits */
  devices: number | null
  /** device templates; null inherits */
  templates: number | null
  /** devices of one bulk job; null inherits */
  bulkDevices: number | null
  /** megabytes of files; null inherits */
  fileMegabytes: number | null
  ownPolicy: boolean
  minLength: number
  upperAndLower: boolean
  numbers: boolean
  special: boolean
  /** empty inherits */
  terms: string
  renewConsent: boolean
  bug: string[]
  featureRequest: string[]
}

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
    retention: account.ownRetentionMonths,
    ownPolicy: policy !== null,
    messagesPerSecond: account.messagesPerSecond,
    csvRows: account.limits.csvExport.own,
    templates: account.limits.templates.own,
    bulkDevices: account.limits.bulk.own,
    devices: account.limits.devices.own,
    fileMegabytes: account.limits.files.own,
    minLength: policy?.minLength ?? leastLength,
    upperAndLower: policy?.upperAndLower ?? false,
    numbers: policy?.numbers ?? false,
    special: policy?.special ?? false,
    terms: account.terms ?? '',
    renewConsent: false,
    bug: account.feedback.bug,
    featureRequest: account.feedback.featureRequest,
  }
}

export function toAccountInput(values: AccountValues) {
  const { minLength, upperAndLower, numbers, special } = values
  return {
    name: values.name,
    description: values.description,
    timeZone: values.timeZone,
    passwordPolicy: values.ownPolicy ? { minLength, upperAndLower, numbers, special } : null,
    terms: values.terms.trim() === '' ? null : values.terms,
    feedback: { bug: values.bug, featureRequest: values.featureRequest },
    renewConsent: values.renewConsent,
  }
}

const faultsOf = check(AccountInput)

/** Errors by form field; errors of list entries are shown at the list. */
export function checkAccount(values: AccountValues): Record<string, string> {
  const faults = faultsOf(toAccountInput(values))
  return Object.fromEntries(
    Object.entries(faults).map(([path, text]) => {
      const [first = '', second = ''] = path.split('.')
      return [first === 'feedback' || first === 'passwordPolicy' ? second : first, text]
    }),
  )
}
