import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import type { Role } from '../../ui/accounts/roles.ts'
import { checkRole, toInput, toUpdate, toValues } from './roleValues.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const role = (change: object = {}) =>
  ({
    id: 5,
    accountId: 2,
    name: 'Nachtschicht',
    description: 'Sieht Alarme',
    icon: 'bell',
    key: null,
    rules: [{ subject: 'VirtualDevice', actions: ['read'] }],
    ...change,
  }) as unknown as Role
const delivered = role({ accountId: null, name: 'Viewer', description: 'Sees things', key: 'viewer' })

describe('the form of a role', () => {
  test('shows an own role as it is stored', () => {
    expect(toValues(role())).toEqual({
      accountId: '2',
      name: 'Nachtschicht',
      description: 'Sieht Alarme',
      icon: 'bell',
      matrix: { 'VirtualDevice.read': 'granted' },
    })
  })

  test('shows a delivered role in the language of the console, without an account', () => {
    expect(toValues(delivered)).toMatchObject({
      accountId: null,
      name: de.roles.delivered.viewer.name,
      description: de.roles.delivered.viewer.description,
    })
  })

  test.each([
    ['', false],
    ['   ', false],
    ['\n\t', false],
    ['A', true],
    ['Größe <b>', true],
  ])('accepts the name %j: %s', (name, fine) => {
    expect(Object.keys(checkRole({ ...toValues(role()), name }))).toEqual(fine ? [] : ['name'])
  })

  test('becomes rules', () => {
    const values = { ...toValues(role()), matrix: { 'all.manage': 'granted', 'Dashboards.read': 'denied' } }
    expect(toInput(values as ReturnType<typeof toValues>).rules).toEqual([
      { subject: 'all', actions: ['manage'] },
      { subject: 'Dashboards', actions: ['read'], inverted: true },
    ])
  })
})

describe('saving a role', () => {
  test('sends what was entered', () => {
    const values = { ...toValues(role()), name: 'Tagschicht', icon: null }
    expect(toUpdate(role(), values)).toMatchObject({ id: 5, name: 'Tagschicht', icon: null })
  })

  test('keeps the stored texts of a delivered role that was only shown translated', () => {
    const values = { ...toValues(delivered), icon: 'eye' }
    expect(toUpdate(delivered, values)).toMatchObject({
      name: 'Viewer',
      description: 'Sees things',
      icon: 'eye',
    })
  })

  test('replaces both texts once one of them was changed', () => {
    const values = { ...toValues(delivered), name: 'Zuschauer' }
    expect(toUpdate(delivered, values)).toMatchObject({
      name: 'Zuschauer',
      description: de.roles.delivered.viewer.description,
    })
  })
})
