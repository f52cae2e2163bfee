import { KeyValues, Tags, WebAddress } from '@leitstand/contract/common'
import { MqttBrokerSettings } from '@leitstand/contract/connectors/kinds/mqtt-broker'
import { MqttInSettings } from '@leitstand/contract/connectors/kinds/mqtt-in'
import i18next from 'i18next'
import { beforeAll, describe, expect, it, test } from 'vitest'
import * as z from 'zod'
import de from '../locales/de.json' with { type: 'json' }
import en from '../locales/en.json' with { type: 'json' }
import { check } from './validation.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

it('says by field, in the language of the user, what is wrong', () => {
  const errors = check(MqttInSettings)({ host: 'mqtt://x/y', port: 70_000, topics: [] })
  expect(errors).toEqual({
    host: 'Dieses Format ist ungültig.',
    port: 'Höchstens 65535.',
    topics: 'Mindestens ein Eintrag ist nötig.',
  })
  expect(check(MqttBrokerSettings)({ username: 'press-01', publishTopics: ['a/#/b'] })).toEqual({
    'publishTopics.0': 'Kein gültiges Topic-Muster: „+“ steht für eine ganze Ebene, „#“ nur am Ende.',
  })
})

it('finds nothing in what is right', () => {
  expect(check(MqttInSettings)({ host: 'broker.example', topics: ['plant/+/up'] })).toEqual({})
})

it('tells what is missing from what is too long', () => {
  const schema = z.object({ title: z.string().trim().min(1).max(5), size: z.number() })
  expect(check(schema)({ title: '  ', size: '' })).toEqual({
    title: 'Dieses Feld ist erforderlich',
    size: 'Dieses Feld ist erforderlich',
  })
  expect(check(schema)({ title: 'too long', size: 1 })).toEqual({ title: 'Höchstens 5 Zeichen.' })
})

describe('what is wrong with one value', () => {
  const errorOf = (schema: z.ZodType, value: unknown) => check(z.object({ field: schema }))({ field: value })
  test.each([
    ['an empty text', z.string().min(1), '', 'Dieses Feld ist erforderlich'],
    ['a short text', z.string().min(8), 'abc', 'Mindestens 8 Zeichen.'],
    ['a long text', z.string().max(3), 'abcd', 'Höchstens 3 Zeichen.'],
    ['no text', z.string(), undefined, 'Dieses Feld ist erforderlich'],
    ['null instead of a text', z.string(), null, 'Dieses Feld ist erforderlich'],
    ['no entries', z.array(z.string()).min(1), [], 'Mindestens ein Eintrag ist nötig.'],
    ['too few entries', z.array(z.string()).min(2), ['a'], 'Mindestens 2 Einträge.'],
    ['too many entries', z.array(z.string()).max(1), ['a', 'b'], 'Höchstens 1 Einträge.'],
    ['a small number', z.number().min(-40), -41, 'Mindestens -40.'],
    ['a large number', z.number().max(90), 90.5, 'Höchstens 90.'],
    ['no number', z.number(), Number.NaN, 'Geben Sie eine Zahl ein.'],
    ['a text instead of a number', z.number(), '12', 'Geben Sie eine Zahl ein.'],
    ['nothing instead of a whole number', z.int(), undefined, 'Dieses Feld ist erforderlich'],
    ['an emptied number', z.number(), '', 'Dieses Feld ist erforderlich'],
    ['no address', z.url(), 'example', 'Geben Sie eine vollständige Adresse mit https:// ein.'],
    [
      'a script as an address',
      WebAddress,
      'javascript:alert(1)',
      'Geben Sie eine vollständige Adresse mit https:// ein.',
    ],
    ['no e-mail address', z.email(), 'a@', 'Geben Sie eine gültige E-Mail-Adresse ein.'],
    ['an unknown form', z.string().regex(/^a$/), 'b', 'Dieses Format ist ungültig.'],
    ['an unknown choice', z.enum(['a', 'b']), 'c', 'Dieses Format ist ungültig.'],
    [
      'a rule without a text of its own',
      z.string().refine(() => false, 'nobody knows'),
      'x',
      'Dieses Format ist ungültig.',
    ],
    ['a rule with one', z.string().refine(() => false, 'downlinkLong'), 'x', 'Das ist zu lang.'],
  ])('%s', (_name, schema, value, text) => {
    expect(errorOf(schema, value)).toEqual({ field: text })
  })

  test('a number that has to be more than zero does not ask for at least zero', () => {
    expect(errorOf(z.number().positive(), 0)).toEqual({ field: 'Mehr als 0.' })
    expect(errorOf(z.number().lt(10), 10)).toEqual({ field: 'Weniger als 10.' })
  })
})

describe('where it is wrong', () => {
  it('names nested fields and rows by their path', () => {
    const schema = z.object({
      rows: z.array(z.object({ name: z.string().min(1) })),
      place: z.object({ lat: z.number() }),
    })
    expect(Object.keys(check(schema)({ rows: [{ name: 'a' }, { name: '' }], place: {} }))).toEqual([
      'rows.1.name',
      'place.lat',
    ])
  })

  it('shows one error a field, the first', () => {
    const schema = z.object({
      key: z
        .string()
        .min(3)
        .regex(/^[a-z]+$/),
    })
    expect(check(schema)({ key: '1' })).toEqual({ key: 'Mindestens 3 Zeichen.' })
  })

  it('finds the tag and the pair of a list that are wrong', () => {
    const schema = z.object({ tags: Tags, keyValues: KeyValues })
    const errors = check(schema)({ tags: ['a', ' '], keyValues: { ok: 'x', long: 'x'.repeat(1001) } })
    expect(Object.keys(errors)).toEqual(['tags.1', 'keyValues.long'])
  })

  it('survives input that is no object at all', () => {
    for (const input of [undefined, null, 'text', 7, []]) {
      expect(Object.values(check(z.object({ a: z.string() }))(input))).toEqual([
        'Dieses Feld ist erforderlich',
      ])
    }
  })
})

test('both languages have the same texts of errors', () => {
  const keysOf = (texts: object): string[] =>
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === 'object' ? keysOf(value as object).map((inner) => `${key}.${inner}`) : [key],
    )
  expect(keysOf(en.validation).toSorted()).toEqual(keysOf(de.validation).toSorted())
})
