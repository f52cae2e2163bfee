import type { Account } from '@leitstand/contract/accounts'
import { expect, test } from 'vitest'
import { checkAccount, toAccountInput, toAccountValues } from './accountValues.ts'

const limit = (own: number | null) => ({ own, value: own, from: null })
const account: Account = {
  id: 7,
  name: 'Wasserwerk',
  description: '',
  parentId: 1,
  scopeId: 7,
  timeZone: 'Europe/Berlin',
  retentionMonths: 24,
  ownRetentionMonths: null,
  messagesPerSecond: 50,
  version: 3,
  domains: [],
  passwordPolicy: null,
  terms: null,
  consentSince: null,
  feedback: { bug: ['bugs@example.org'], featureRequest: [] },
  limits: {
    csvExport: limit(null),
    devices: { ...limit(10), used: 2 },
    templates: { ...limit(null), used: 0 },
    files: { ...limit(10_240), used: 0 },
    bulk: limit(null),
    ruleMails: { ...limit(null), used: 0 },
  },
  ruleMailsDefault: 1000,
  editable: true,
  limitsEditable: true,
}
const values = toAccountValues(account)
const changed = (bounds: Partial<typeof values.bounds>) => ({
  ...values,
  bounds: { ...values.bounds, ...bounds },
})

test('only changed limits are sent, because others may need rights the user lacks', () => {
  expect(toAccountInput(values, account).bounds).toEqual({})
  const { bounds } = toAccountInput(changed({ devices: null, templates: 0, messagesPerSecond: 50 }), account)
  expect(bounds).toEqual({ devices: null, templates: 0 })
})

test('data that is inherited is sent as null', () => {
  expect(toAccountInput({ ...values, terms: ' \n' }, account)).toMatchObject({
    passwordPolicy: null,
    terms: null,
  })
  const own = { ...values, ownPolicy: true }
  expect(toAccountInput(own, account)).toMatchObject({ passwordPolicy: { minLength: 8, special: false } })
})

test('errors are at the field that has to change, those of list entries at the list', () => {
  expect(checkAccount(values)).toEqual({})
  const wrong = {
    ...changed({ bulkDevices: 0, retentionMonths: 1201 }),
    name: '',
    ownPolicy: true,
    passwordPolicy: { ...values.passwordPolicy, minLength: 3 },
    feedback: { bug: ['fine@example.org', 'nobody'], featureRequest: [] },
  }
  expect(Object.keys(checkAccount(wrong)).sort()).toEqual([
    'bounds.bulkDevices',
    'bounds.retentionMonths',
    'feedback.bug',
    'name',
    'passwordPolicy.minLength',
  ])
})
