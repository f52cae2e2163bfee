import type { Account } from '@leitstand/contract/accounts'
import { describe, expect, test } from 'vitest'
import { checkAccount, placeOf, toAccountInput, toAccountValues } from './accountValues.ts'

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

describe('the form of an account', () => {
  test('shows what the account has itself, not what it inherits', () => {
    expect(values).toMatchObject({ ownPolicy: false, terms: '', renewConsent: false })
    expect(values.bounds).toEqual({
      devices: 10,
      templates: null,
      fileMegabytes: 10_240,
      bulkDevices: null,
      csvRows: null,
      ruleMails: null,
      retentionMonths: null,
      messagesPerSecond: 50,
    })
  })

  test('of an account with a password policy of its own shows it', () => {
    const policy = { minLength: 12, upperAndLower: true, numbers: false, special: true }
    expect(toAccountValues({ ...account, passwordPolicy: policy })).toMatchObject({
      ownPolicy: true,
      passwordPolicy: policy,
    })
  })

  test.each([
    ['at the top', { parentId: null }, 'top'],
    ['below another', { parentId: 1 }, 'below'],
  ])('an account %s is %3$s', (_name, given, place) => {
    expect(placeOf(given)).toBe(place)
  })
})

describe('limits of an account', () => {
  test.each([
    ['devices', 0, []],
    ['devices', -1, ['bounds.devices']],
    ['devices', 1.5, ['bounds.devices']],
    ['devices', Number.NaN, ['bounds.devices']],
    ['devices', Number.POSITIVE_INFINITY, ['bounds.devices']],
    ['devices', null, []],
    ['bulkDevices', 1, []],
    ['bulkDevices', 50_000, []],
    ['bulkDevices', 50_001, ['bounds.bulkDevices']],
    ['csvRows', 0, ['bounds.csvRows']],
    ['csvRows', 1, []],
    ['retentionMonths', 1200, []],
    ['retentionMonths', 0, ['bounds.retentionMonths']],
    ['messagesPerSecond', 0, []],
    ['messagesPerSecond', 100_001, ['bounds.messagesPerSecond']],
    ['ruleMails', 0, []],
    ['ruleMails', -5, ['bounds.ruleMails']],
  ])('%s of %d are faulty at %j', (name, value, fields) => {
    expect(Object.keys(checkAccount(changed({ [name]: value })))).toEqual(fields)
  })

  test('set back to inherit are sent as null, unchanged ones not at all', () => {
    expect(toAccountInput(changed({ devices: null }), account).bounds).toEqual({ devices: null })
    expect(toAccountInput(changed({ devices: 10 }), account).bounds).toEqual({})
    expect(toAccountInput(changed({ ruleMails: 0 }), account).bounds).toEqual({ ruleMails: 0 })
  })
})

describe('texts of an account', () => {
  const faults = (change: Partial<typeof values>) => Object.keys(checkAccount({ ...values, ...change }))

  test.each([
    [{ name: 'Größe & Söhne <GmbH>' }, []],
    [{ name: ' ' }, ['name']],
    [{ name: 'x'.repeat(1000) }, ['name']],
    [{ timeZone: 'Europe/Berlin' }, []],
    [{ timeZone: 'Mars/Olympus' }, ['timeZone']],
    [{ timeZone: '' }, ['timeZone']],
    [{ feedback: { bug: ['a@example.org'], featureRequest: ['kein'] } }, ['feedback.featureRequest']],
    [{ feedback: { bug: [], featureRequest: [] } }, []],
  ])('%j are faulty at %j', (change, fields) => {
    expect(faults(change)).toEqual(fields)
  })

  test('a policy that is inherited is not checked', () => {
    const passwordPolicy = { ...values.passwordPolicy, minLength: 0 }
    expect(faults({ ownPolicy: false, passwordPolicy })).toEqual([])
    expect(faults({ ownPolicy: true, passwordPolicy })).toEqual(['passwordPolicy.minLength'])
  })

  test('terms are sent as they were written', () => {
    expect(toAccountInput({ ...values, terms: '§ 1\n\n§ 2 ' }, account).terms).toBe('§ 1\n\n§ 2 ')
  })
})
