import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import type { ListParams } from '../../ui/list/types.ts'
import { listInput, rolesText, stateOf } from './userList.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const params = (filters: ListParams['filters'] = {}, change: Partial<ListParams> = {}): ListParams => ({
  offset: 20,
  limit: 20,
  search: undefined,
  accountIds: undefined,
  orderBy: undefined,
  favorites: false,
  filters,
  ...change,
})

describe('the list of users', () => {
  test('is that of the account, without those above and below', () => {
    expect(listInput(params(), 7)).toEqual({
      offset: 20,
      limit: 20,
      search: undefined,
      accountIds: [7],
      active: undefined,
      subAccounts: false,
      parentAdmins: false,
      orderBy: undefined,
    })
  })

  test('stays that of the account whatever accounts the address names', () => {
    expect(listInput(params({}, { accountIds: [1, 2] }), 7).accountIds).toEqual([7])
  })

  test.each([
    [['active'], true],
    [['inactive'], false],
    [['active', 'inactive'], undefined],
    [['locked'], undefined],
    [undefined, undefined],
  ])('with the states %j asks for active: %j', (state, active) => {
    expect(listInput(params({ state }), 7).active).toBe(active)
  })

  test.each([
    [['sub'], true, false],
    [['parent'], false, true],
    [['parent', 'sub'], true, true],
    [['other'], false, false],
  ])('including %j adds those below: %s, above: %s', (include, subAccounts, parentAdmins) => {
    expect(listInput(params({ include }), 7)).toMatchObject({ subAccounts, parentAdmins })
  })

  test.each([
    ['lastName', 'lastName'],
    ['-lastLoginAt', '-lastLoginAt'],
    ['roles', undefined],
    ['-password', undefined],
    ['--email', undefined],
  ])('in the order %s is asked for in the order %s', (orderBy, asked) => {
    expect(listInput(params({}, { orderBy }), 7).orderBy).toBe(asked)
  })
})

describe('roles of a user', () => {
  const role = (name: string, key: 'viewer' | null = null) => ({ name, key })
  test.each([
    ['none', [], ''],
    ['an own one', [role('Nachtschicht')], 'Nachtschicht'],
    ['a delivered one, in the language of the console', [role('Viewer', 'viewer')], 'Betrachter'],
    ['several', [role('Viewer', 'viewer'), role('Größe & Co')], 'Betrachter, Größe & Co'],
  ])('%s', (_name, roles, text) => {
    expect(rolesText(i18next.t, { roles })).toBe(text)
  })
})

describe('the state of a user', () => {
  const nowMs = Date.parse('2026-11-20T12:00:00Z')
  const user = (change: object = {}) => ({ active: true, invited: false, lockedUntil: null, ...change })

  test.each([
    [{}, 'active'],
    [{ invited: true }, 'invited'],
    [{ lockedUntil: '2026-11-20T12:10:00Z' }, 'locked'],
    [{ lockedUntil: '2026-11-20T11:59:59Z' }, 'active'],
    [{ lockedUntil: '2026-11-20T12:00:00Z' }, 'active'],
    [{ active: false }, 'inactive'],
    [{ active: false, invited: true }, 'inactive'],
    [{ active: false, lockedUntil: '2026-11-20T12:10:00Z' }, 'inactive'],
    [{ invited: true, lockedUntil: '2026-11-20T12:10:00Z' }, 'invited'],
  ])('%j is %s', (change, state) => {
    expect(stateOf(user(change), nowMs)).toBe(state)
  })
})
