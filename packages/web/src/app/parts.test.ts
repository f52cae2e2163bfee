import type { Account } from '@leitstand/contract/accounts'
import { describe, expect, test } from 'vitest'
import { openBrowser } from '../../test/browser.ts'

openBrowser()
const { accountTabs, accountSections } = await import('../features/accounts/slots.ts')
const { deviceActions, deviceTabs } = await import('../features/devices/slots.ts')
const { twinTabs } = await import('../features/twins/slots.ts')
const { accountPath, idOf } = await import('../features/accounts/queries.ts')
const { userName, userPath } = await import('../features/people/queries.ts')
const { fillSlots } = await import('./slots.ts')
fillSlots()

const account = (editable: boolean) => ({ account: { id: 1, editable } as Account })
const may =
  (...permissions: string[]) =>
  (subject: string, action: string) =>
    permissions.includes(`${subject}.${action}`)
const tabs = (permissions: string[], editable = true) =>
  accountTabs.parts
    .filter(({ isShown }) => isShown?.(may(...permissions), account(editable)) ?? true)
    .map(({ key }) => key)

describe('tabs of an account', () => {
  test.each([
    ['users', ['UserManagement.read'], true],
    ['users', ['UserManagement.create'], false],
    ['users', [], false],
  ])('%s with the permissions %j are shown: %s', (tab, permissions, shown) => {
    expect(tabs(permissions).includes(tab)).toBe(shown)
  })

  test('for single sign-on is shown to those who may change the account', () => {
    expect(tabs([], true)).toContain('sso')
    expect(tabs([], false)).not.toContain('sso')
  })
})

test('the demand for a second factor is shown to those who manage users', () => {
  const shown = (...permissions: string[]) =>
    accountSections.parts
      .filter(({ isShown }) => isShown?.(may(...permissions)) ?? true)
      .map(({ key }) => key)
  expect(shown('UserManagement.manage')).toContain('twoFactor')
  expect(shown('UserManagement.read')).not.toContain('twoFactor')
})

test.each([
  ['none', false],
  ['tts-v3', true],
  ['chirpstack-v4', true],
])('a device of the network server %s can be compared with it: %s', (remote, shown) => {
  const device = { remote } as Parameters<(typeof deviceActions.parts)[number]['isShown']>[0]
  const [compare] = deviceActions.parts.filter(({ forReaders }) => !forReaders)
  expect(compare?.isShown(device)).toBe(shown)
})

test('tabs of a page have keys of their own, as they are in its address', () => {
  for (const { parts } of [accountTabs, deviceTabs, twinTabs]) {
    const keys = parts.map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  }
})

describe('addresses', () => {
  test.each([
    ['12', 12],
    ['012', 12],
    ['', Number.NaN],
    [undefined, Number.NaN],
    ['x', Number.NaN],
  ])('the id of %j is %d', (text, id) => {
    expect(idOf(text)).toBe(id)
  })

  test('of accounts and users', () => {
    expect(accountPath(3)).toBe('/account-mgmt/3')
    expect(accountPath(3, 'users')).toBe('/account-mgmt/3?tab=users')
    expect(userPath({ accountId: 3, id: 7 })).toBe('/account-mgmt/user/3/7')
  })
})

test.each([
  [{ firstName: 'Märta', lastName: 'Müller', username: 'mm' }, 'Märta Müller'],
  [{ firstName: '', lastName: 'Müller', username: 'mm' }, 'Müller'],
  [{ firstName: 'Märta', lastName: '', username: 'mm' }, 'Märta'],
  [{ firstName: '', lastName: '', username: 'mm@example.org' }, 'mm@example.org'],
])('%j is called %s', (user, name) => {
  expect(userName(user)).toBe(name)
})
