import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { bulkHint, leastOf, limitHint, mailHint } from './limitHints.ts'
import type { Account } from './queries.ts'

beforeAll(() =>
  i18next.init({ lng: 'de', resources: { de: { translation: de } }, interpolation: { escapeValue: false } }),
)

type Limit = Account['limits']['csvExport']
const limit = (value: number | null, from: { name: string | null } | null = null) =>
  ({ own: null, value, from: from && { id: 1, ...from } }) as Limit
const account = (change: object = {}, ruleMails: Limit = limit(null)) =>
  ({
    parentId: 1,
    limitsEditable: true,
    ruleMailsDefault: 1000,
    limits: { ruleMails: { ...ruleMails, used: 0 } },
    ...change,
  }) as unknown as Account
const texts = de.accounts.limit

describe('where a limit comes from', () => {
  test.each([
    ['none, below others', limit(null), {}, texts.free.below],
    ['none, at the top', limit(null), { parentId: null }, texts.free.top],
    ['an own one', limit(50), {}, texts.own.below],
    ['an own one at the top', limit(50), { parentId: null }, texts.own.top],
    ['inherited', limit(1500, { name: 'Stadt' }), {}, '1.500, geerbt von „Stadt“.'],
    [
      'inherited from an account that is not visible',
      limit(0, { name: null }),
      {},
      '0, geerbt von einem übergeordneten Account.',
    ],
  ])('%s', (_name, given, change, text) => {
    expect(limitHint(i18next.t, given, account(change))).toBe(text)
  })

  test('is not explained to those who cannot change it, unless it is inherited', () => {
    const closed = account({ limitsEditable: false })
    expect(limitHint(i18next.t, limit(null), closed)).toBe('')
    expect(limitHint(i18next.t, limit(5), closed)).toBe('')
    expect(limitHint(i18next.t, limit(5, { name: 'Stadt' }), closed)).toContain('Stadt')
  })
})

describe('the devices of a bulk job', () => {
  test.each([
    ['no limit', limit(null), {}, texts.bulkFree.below.replace('{{count}}', '500')],
    ['no limit at the top', limit(null), { parentId: null }, texts.bulkFree.top.replace('{{count}}', '500')],
    ['an own one', limit(80), {}, texts.own.below],
    ['an inherited one', limit(80, { name: 'Stadt' }), {}, '80, geerbt von „Stadt“.'],
    ['no limit, not to be changed', limit(null), { limitsEditable: false }, ''],
  ])('%s', (_name, given, change, text) => {
    expect(bulkHint(i18next.t, given, account(change))).toBe(text)
  })
})

describe('mails of rules', () => {
  test.each([
    ['the default', limit(null), {}, /Es gilt die Vorgabe der Installation, 1\.?000 je Kunde/],
    ['a higher limit than the default', limit(5000), {}, /Vorgabe der Installation/],
    ['a lower one', limit(50), {}, /^Leer: wie der übergeordnete Account\.$/],
    ['no default', limit(50, { name: 'Stadt' }), { ruleMailsDefault: null }, /geerbt von „Stadt“/],
    ['the default, not to be changed', limit(null), { limitsEditable: false }, /Für diesen Kunden gilt/],
    ['the default at the top', limit(null), { parentId: null }, /je Kunde, die Vorgabe/],
  ])('%s', (_name, given, change, text) => {
    expect(mailHint(i18next.t, account(change, given))).toMatch(text)
  })
})

test.each([
  [null, null, null],
  [5, null, 5],
  [null, 5, 5],
  [5, 3, 3],
  [0, 3, 0],
])('the least of %j and %j is %j', (one, other, least) => {
  expect(leastOf(one, other)).toBe(least)
})
