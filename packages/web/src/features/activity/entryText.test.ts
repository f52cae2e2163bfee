import { BrandSettings, brandImageRoles } from '@leitstand/contract/branding'
import { deliveredRoles } from '@leitstand/contract/roles'
import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { fieldText, isTime, plainText, titleText, valueText } from './entryText.ts'

beforeAll(() =>
  i18next.init({ lng: 'de', resources: { de: { translation: de } }, interpolation: { escapeValue: false } }),
)

const viewer = de.roles.delivered.viewer.name

describe('a value in words', () => {
  test.each([
    [{ name: 'Nachtschicht', key: null }, 'Nachtschicht'],
    [{ name: 'Viewer', key: 'viewer' }, viewer],
  ])('the role %j', (value, text) => {
    expect(valueText(i18next.t, value)).toBe(text)
  })

  test('access names role and scope, and the main one differs', () => {
    const access = { role: { name: 'Viewer', key: 'viewer' }, scope: 'Stadt / Bäder', isMain: false }
    const text = valueText(i18next.t, access) ?? ''
    expect(text).toContain(viewer)
    expect(text).toContain('Stadt / Bäder')
    expect(valueText(i18next.t, { ...access, isMain: true })).not.toBe(text)
  })

  test('a rule names its subject and actions, given or taken', () => {
    const rule = { subject: 'VirtualDevice', actions: ['read', 'write'], inverted: false }
    const given = valueText(i18next.t, rule) ?? ''
    expect(given).toContain(de.permissions.subjects.VirtualDevice)
    expect(given).toContain(`${de.permissions.actions.read}, ${de.permissions.actions.write}`)
    expect(valueText(i18next.t, { ...rule, inverted: true })).not.toBe(given)
    expect(valueText(i18next.t, { ...rule, subject: 'super.system' })).toContain(
      de.permissions.subjects.super_system,
    )
  })

  test.each([
    [null],
    ['text'],
    [7],
    [[]],
    [{}],
    [{ name: 'Sensor' }],
    [{ name: 'Sensor', key: 'no role' }],
    [{ name: 'Sensor', key: null, more: 1 }],
    [{ subject: 'Unknown', actions: ['read'], inverted: false }],
  ])('%j has none', (value) => {
    expect(valueText(i18next.t, value)).toBeUndefined()
  })
})

describe('the title of an entry', () => {
  const entry = { subject: 'Role', accountId: null, objectId: 5, objectTitle: deliveredRoles.viewer }
  test.each([
    ['a delivered role in the language of the console', {}, viewer],
    ['a role of an account as it is called', { accountId: 3 }, deliveredRoles.viewer],
    ['another thing of the same name', { subject: 'DigitalTwin' }, deliveredRoles.viewer],
    ['a role with a name of its own', { objectTitle: 'Nachtschicht' }, 'Nachtschicht'],
    ['a thing without a title by its id', { objectTitle: '' }, '#5'],
    ['nothing at all', { objectTitle: '', objectId: null }, '–'],
  ])('%s', (_name, change, text) => {
    expect(titleText(i18next.t, { ...entry, ...change })).toBe(text)
  })
})

test('every field of a brand has a name', () => {
  const { pages, ...flat } = BrandSettings.parse({})
  const ofPages = Object.entries(pages).flatMap(([language, page]) =>
    Object.keys(page).map((field) => `${language}.${field}`),
  )
  const isRaw = (field: string) => {
    const names = fieldText(i18next.t, field).split(' › ')
    return field.split('.').some((part, at) => names[at] === part)
  }
  expect([...Object.keys(flat), ...brandImageRoles, ...ofPages].filter(isRaw)).toEqual([])
})

describe('names of fields', () => {
  test('are those of the log, part by part', () => {
    expect(fieldText(i18next.t, 'roles')).toBe('Rollen')
    expect(fieldText(i18next.t, 'roles.homepage')).toBe('Rollen › Webseite')
    expect(fieldText(i18next.t, 'brandNew')).toBe('brandNew')
    expect(fieldText(i18next.t, 'roles.brandNew')).toBe('Rollen › brandNew')
    expect(fieldText(i18next.t, 'de.imprintText')).toBe('Deutsch › Text des Impressums')
  })
})

test.each([
  ['2026-03-04T12:00:00Z', true],
  ['2026-03-04T12:00:00.123Z', true],
  ['2026-03-04T12:00:00+01:00', false],
  ['2026-03-04', false],
  ['x2026-03-04T12:00:00Z', false],
  ['', false],
])('%s is a time: %s', (text, time) => {
  expect(isTime(text)).toBe(time)
})

test.each([
  ['a', 'a'],
  [0, '0'],
  ['', ''],
  [true, undefined],
  [null, undefined],
  [{}, undefined],
])('%j in a list is %j', (value, text) => {
  expect(plainText(value)).toBe(text)
})
