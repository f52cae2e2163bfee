import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import en from '../../locales/en.json' with { type: 'json' }
import type { Driver } from './queries.ts'
import {
  alikeNames,
  checkDriver,
  emptyDriver,
  fromJson,
  makesVersion,
  toInput,
  toJson,
  toValues,
} from './values.ts'

beforeAll(() => i18next.init({ lng: 'en', resources: { en: { translation: en } } }))

const stored: Driver = {
  id: 1,
  accountId: 1,
  accountName: 'City',
  title: 'Climate',
  description: '',
  manufacturer: 'Elsys',
  model: 'ERS',
  visibility: 'everyone',
  parserKind: 'function',
  delivered: true,
  publishedVersion: 1,
  latestVersion: 1,
  outdatedAccounts: 0,
  deviceCount: 0,
  pictureId: null,
  updatedAt: '2026-01-01T00:00:00.000Z',
  specs: { frequency: 'EU868', highlights: ['quiet'], weight: '80 g' },
  number: 1,
  parser: { kind: 'function' },
  hasParserSecret: false,
  script: 'function decodeUplink() {}',
  calculated: [],
  variables: [{ key: 'temperature', title: 'Temperature', unit: '°C' }],
  golden: [],
  health: { expertMode: false, applyToAllVD: false, stateKeys: [], entries: [] },
  downlinks: [],
  versions: [],
  editable: true,
  version: 4,
}

describe('the form of a driver', () => {
  it('keeps what it has no field for, and stores no blanks', () => {
    const values = toValues(stored)
    expect(toInput(values, stored.specs).specs).toEqual(stored.specs)
    const emptied = { ...values, specs: { ...values.specs, frequency: ' ', highlights: [] } }
    expect(toInput(emptied, stored.specs).specs).toEqual({ weight: '80 g' })
  })

  it('makes a version only when the content changes', () => {
    const values = toValues(stored)
    expect(makesVersion({ ...values, title: 'Other' }, stored)).toBe(false)
    expect(makesVersion({ ...values, script: '// new' }, stored)).toBe(true)
    expect(makesVersion({ ...values, variables: [] }, stored)).toBe(true)
  })

  it('says what is wrong', () => {
    const key = (name: string) => ({ key: name, title: '', unit: '' })
    const errors = checkDriver({
      ...emptyDriver(),
      title: 'A',
      variables: [key('a'), key('b c'), key('a')],
      specs: { ...emptyDriver().specs, documentationUrl: 'no address' },
    })
    const at = (documentationUrl: string) =>
      checkDriver({ ...emptyDriver(), title: 'A', specs: { ...emptyDriver().specs, documentationUrl } })
    expect(at('javascript:alert(1)')).toHaveProperty('specs.documentationUrl')
    expect(errors).toEqual({
      'variables.1.key': 'This form is not allowed here.',
      'variables.2.key': 'This variable stands twice.',
      'specs.documentationUrl': 'Enter a full address with https://.',
    })
  })

  it('warns of names that differ by case only', () => {
    const variables = ['CO2', 'co2', 'humidity'].map((key) => ({ key, title: '', unit: '' }))
    expect(alikeNames({ ...emptyDriver(), variables })).toEqual(['CO2 / co2'])
  })
})

describe('a driver as JSON', () => {
  it('comes back as it went', () => {
    const values = toValues(stored)
    const read = fromJson(toJson(values))
    expect(read).toEqual({ values: { ...values, visibility: 'account' } })
  })

  it('is refused with the reason', () => {
    expect(fromJson('{')).toEqual({ faults: { '': 'This is not valid JSON.' } })
    expect(fromJson('{"title":"A"}')).toEqual({ faults: { script: 'This is missing.' } })
  })
})
