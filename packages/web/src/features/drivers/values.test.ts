import i18next from 'i18next'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import en from '../../locales/en.json' with { type: 'json' }
import { emptyParser } from './parser/kinds/index.ts'
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
// Other files of the same worker expect the default.
afterAll(() => i18next.changeLanguage('de'))

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
  modified: false,
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
      'variables.1.key': 'This format is not valid.',
      'variables.2.key': 'This variable is already in the list.',
      'specs.documentationUrl': 'Enter a full URL starting with https://.',
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
    expect(fromJson('{"title":"A"}')).toEqual({ faults: { script: 'This field is required' } })
  })
})

describe('a pasted driver', () => {
  const paste = (change: object) => fromJson(JSON.stringify({ title: 'A', script: '// x', ...change }))
  const faults = (change: object) => {
    const read = paste(change)
    return 'faults' in read ? Object.keys(read.faults) : []
  }

  it.each(['', '{', 'null', '[]', '"text"', '7', '<driver/>'])('%j is none', (text) => {
    expect('faults' in fromJson(text)).toBe(true)
  })

  it.each([
    ['a title that is too long', { title: 'x'.repeat(1000) }, ['title']],
    ['a title of blanks', { title: '  ' }, ['title']],
    ['a title that is no text', { title: 7 }, ['title']],
    ['a kind of parser that does not exist', { parser: { kind: 'perl' } }, ['parser.kind']],
    [
      'an address that is no web address',
      { parser: { kind: 'url', url: 'file:///etc/passwd' } },
      ['parser.url'],
    ],
    [
      'a documentation that runs a script',
      { specs: { documentationUrl: 'javascript:alert(1)' } },
      ['specs.documentationUrl'],
    ],
    ['a script that is too long', { script: 'x'.repeat(262_145) }, ['script']],
    ['a script that is missing', { script: '' }, ['script']],
    ['a variable without a name', { variables: [{ key: '', title: '', unit: '' }] }, ['variables.0.key']],
    [
      'too many variables',
      { variables: Array.from({ length: 201 }, (_, index) => ({ key: `v${index}`, title: '', unit: '' })) },
      ['variables'],
    ],
  ])('with %s is refused', (_name, change, fields) => {
    expect(faults(change)).toEqual(fields)
  })

  it('gets defaults for what it leaves out', () => {
    const read = paste({})
    expect(read).toEqual({ values: { ...emptyDriver(), title: 'A', script: '// x' } })
  })

  it('is private, whatever it says, and brings no token', () => {
    const read = paste({ visibility: 'everyone', parserSecret: 'x', id: 7 })
    expect(read).toMatchObject({ values: { visibility: 'account', parserSecret: '' } })
    expect('values' in read && 'id' in read.values).toBe(false)
  })

  it('cannot change what other objects have', () => {
    const read = fromJson(
      '{"title":"A","script":"x","__proto__":{"polluted":true},"specs":{"__proto__":{"polluted":true}}}',
    )
    expect('values' in read).toBe(true)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('needs no script where its parser has none', () => {
    expect(faults({ script: '', parser: { kind: 'unset' } })).toEqual([])
  })
})

describe('the JSON of a driver', () => {
  it('leaves out who may see it and its token', () => {
    const values = { ...toValues(stored), parserSecret: 'geheim' }
    expect(toJson(values)).not.toMatch(/geheim|visibility|parserSecret/)
  })
})

describe('the token of an external parser', () => {
  it.each([
    ['', {}],
    ['new', { parserSecret: 'new' }],
    [null, { parserSecret: null }],
  ])('%j is sent as %j', (parserSecret, sent) => {
    const { parserSecret: _, ...rest } = toInput({ ...emptyDriver(), parserSecret: '' })
    expect(toInput({ ...emptyDriver(), parserSecret })).toEqual({ ...rest, ...sent })
  })
})

describe('a new version', () => {
  const changes: [string, Partial<ReturnType<typeof toValues>>, boolean][] = [
    ['nothing', {}, false],
    ['another title', { title: 'X' }, false],
    ['another maker', { manufacturer: 'X' }, false],
    ['other specifications', { specs: { ...emptyDriver().specs, frequency: 'US915' } }, false],
    ['another visibility', { visibility: 'account' }, false],
    ['another token', { parserSecret: 'x' }, false],
    ['another script', { script: 'function decodeUplink() { }' }, true],
    ['a calculated variable', { calculated: [{ key: 'a', expression: '1' }] }, true],
    ['another unit', { variables: [{ key: 'temperature', title: 'Temperature', unit: 'K' }] }, true],
    ['health of experts', { health: { ...stored.health, expertMode: true } }, true],
    ['a row without a name', { variables: [...stored.variables, { key: ' ', title: 'x', unit: '' }] }, false],
  ]
  it.each(changes)('is made by %s: %3$s', (_name, change, makes) => {
    expect(makesVersion({ ...toValues(stored), ...change }, stored)).toBe(makes)
  })
})

describe('variables', () => {
  const key = (name: string) => ({ key: name, title: '', unit: '' })
  const errors = (change: Partial<ReturnType<typeof emptyDriver>>) =>
    Object.keys(checkDriver({ ...emptyDriver(), title: 'A', ...change }))

  it.each([
    ['each once', { variables: [key('a'), key('b')] }, []],
    ['one twice', { variables: [key('a'), key('b'), key('a')] }, ['variables.2.key']],
    [
      'one three times',
      { variables: [key('a'), key('a'), key('a')] },
      ['variables.1.key', 'variables.2.key'],
    ],
    ['rows without a name', { variables: [key(''), key('')] }, []],
    ['one with a name every object has', { variables: [key('constructor')] }, []],
  ])('%s', (_name, change, fields) => {
    expect(errors(change)).toEqual(fields)
  })

  it('a calculated one may not be what the parser already reads', () => {
    const parser = { ...emptyParser('single') }
    const [layout] = parser.layouts as { fields: { target: string }[] }[]
    if (layout?.fields[0]) layout.fields[0].target = 'temperature'
    expect(errors({ parser, calculated: [{ key: 'temperature', expression: '1' }] })).toEqual([
      'calculated.0.key',
    ])
    expect(errors({ parser, calculated: [{ key: 'dew', expression: '1' }] })).toEqual([])
  })
})
