import { virtualdevice } from '@leitstand/contract/virtualdevices'
import i18next from 'i18next'
import { beforeAll, describe, expect, it, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import type { Device } from './queries.ts'
import { checkDevice, emptyDevice, toInput, toValues } from './values.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const texts = { positionIncomplete: 'half a position', euiInvalid: 'no EUI' }

it('sends numbers, a normalised EUI and only finished pairs', () => {
  const input = toInput({
    ...emptyDevice,
    title: ' Room 1 ',
    externalId: 'a8-17-58-ff-fe-00-00-01',
    latitude: '53.55',
    longitude: 10,
    floorNumber: '',
    driverId: '7',
    driverVersion: '2',
    operationalStatus: '3',
    referenceIds: [
      { name: 'asset', value: '12' },
      { name: '', value: '' },
    ],
  })
  expect(input).toMatchObject({
    title: 'Room 1',
    externalId: 'A81758FFFE000001',
    latitude: 53.55,
    longitude: 10,
    floorNumber: null,
    driverId: 7,
    driverVersion: 2,
    operationalStatus: 3,
    parentId: null,
    referenceIds: [{ name: 'asset', value: '12' }],
  })
})

it('fixes no version while there is no driver', () => {
  expect(toInput({ ...emptyDevice, driverVersion: '4' }).driverVersion).toBeNull()
})

it('says what is wrong by field', () => {
  const errors = checkDevice(texts)({ ...emptyDevice, latitude: 91, externalId: 'x' })
  expect(errors).toEqual({
    title: 'Dieses Feld ist erforderlich',
    latitude: 'Höchstens 90.',
    longitude: 'half a position',
  })
  expect(checkDevice(texts)({ ...emptyDevice, title: 'a', externalId: 'x' })).toEqual({})
})

it('tells faults of reference ids at the rows that people see', () => {
  const referenceIds = [
    { name: '', value: '' },
    { name: 'asset', value: '' },
  ]
  expect(checkDevice(texts)({ ...emptyDevice, title: 'a', externalId: 'x', referenceIds })).toEqual({
    'referenceIds.1.value': 'Dieses Feld ist erforderlich',
  })
})

it('asks for an EUI-64 where a network server names devices by it, but not of a device that has none', () => {
  const values = { ...emptyDevice, title: 'a', externalId: 'meter-7' }
  const preset = 'chirpstack-v4' as const
  expect(checkDevice(texts, { preset })(values)).toEqual({ externalId: 'no EUI' })
  expect(checkDevice(texts, { preset, kept: 'meter-7' })(values)).toEqual({})
  expect(checkDevice(texts, { preset: 'standard' })(values)).toEqual({})
})

describe('a stored device', () => {
  const stored = {
    title: 'Tonne 1',
    description: 'am Tor\nhinten',
    tags: ['a'],
    zones: ['Nord'],
    groups: ['Abfall'],
    icon: 'waste',
    address: 'Am Tor 1, 44135 Dortmund',
    latitude: 0,
    longitude: -0.5,
    floorNumber: -2,
    floorName: 'Keller',
    keyValues: { Größe: '120 l' },
    referenceIds: [{ name: 'asset', value: '12' }],
    externalId: 'A81758FFFE000001',
    driverId: 7,
    driverVersion: 2,
    operationalStatus: 3,
    parentId: 9,
  }
  const device = { ...stored, templateId: 4, id: 1, version: 5 } as unknown as Device

  test('comes back unchanged from its form', () => {
    expect(toInput(toValues(device))).toEqual(stored)
  })

  test('comes back unchanged where little is set', () => {
    const bare = {
      ...stored,
      latitude: null,
      longitude: null,
      floorNumber: null,
      driverId: null,
      driverVersion: null,
      parentId: null,
      icon: null,
    }
    expect(toInput(toValues({ ...bare, templateId: null } as unknown as Device))).toEqual(bare)
  })

  test('ids are texts in the form, and none stays none', () => {
    expect(toValues(device)).toMatchObject({
      driverId: '7',
      driverVersion: '2',
      parentId: '9',
      templateId: '4',
    })
    expect(toValues({ ...device, templateId: null, parentId: null })).toMatchObject({
      templateId: null,
      parentId: null,
    })
  })

  test('is what the operation accepts', () => {
    const schema = virtualdevice.update['~orpc'].inputSchema
    const sent = { id: 1, version: 5, ...toInput(toValues(device)) }
    expect(schema?.safeParse(sent).error?.issues ?? []).toEqual([])
  })
})

describe('numbers of the form', () => {
  test.each([
    ['', null],
    [null, null],
    [0, 0],
    ['0', 0],
    ['-7.25', -7.25],
    [51.514, 51.514],
  ])('%j is sent as %j', (typed, sent) => {
    expect(toInput({ ...emptyDevice, latitude: typed }).latitude).toBe(sent)
  })
})

describe('faults by field', () => {
  const good = { ...emptyDevice, title: 'a', externalId: 'x' }
  test.each([
    [{ title: '' }, { title: 'Dieses Feld ist erforderlich' }],
    [{ title: 'x'.repeat(201) }, { title: 'Höchstens 200 Zeichen.' }],
    [{ title: '🌡'.repeat(100) }, {}],
    [{ externalId: '   ' }, { externalId: 'Dieses Feld ist erforderlich' }],
    [{ externalId: 'x'.repeat(201) }, { externalId: 'Höchstens 200 Zeichen.' }],
    [{ latitude: 90, longitude: 180 }, {}],
    [{ latitude: -90.1, longitude: 0 }, { latitude: 'Mindestens -90.' }],
    [{ latitude: 0, longitude: 180.1 }, { longitude: 'Höchstens 180.' }],
    [{ latitude: 0 }, { longitude: 'half a position' }],
    [{ longitude: 0 }, { latitude: 'half a position' }],
    [{ latitude: '-', longitude: 0 }, { latitude: 'Geben Sie eine Zahl ein.' }],
    [{ tags: Array.from({ length: 51 }, (_, index) => `t${index}`) }, { tags: 'Höchstens 50 Einträge.' }],
    [{ referenceIds: [{ name: ' ', value: ' ' }] }, {}],
    [
      {
        referenceIds: [
          { name: '', value: '' },
          { name: '', value: '' },
          { name: '', value: '7' },
        ],
      },
      { 'referenceIds.2.name': 'Dieses Feld ist erforderlich' },
    ],
  ])('%j', (change, errors) => {
    expect(checkDevice(texts)({ ...good, ...change })).toEqual(errors)
  })

  test.each([
    ['tts-v3', 'a81758fffe000001', true],
    ['tts-v3', 'my-device-1', true],
    ['tts-v3', 'A81758FFFE00000', false],
    ['tts-v3', 'Kein Name', false],
    ['chirpstack-v4', 'A8:17:58:FF:FE:00:00:01', true],
    ['chirpstack-v4', 'my-device-1', false],
    ['template', 'Kein Name', true],
  ] as const)('a connector of %s takes %s: %s', (preset, externalId, fits) => {
    const errors = checkDevice(texts, { preset })({ ...good, externalId })
    expect(errors).toEqual(fits ? {} : { externalId: 'no EUI' })
  })

  test('a missing id is called missing, not malformed', () => {
    expect(checkDevice(texts, { preset: 'chirpstack-v4' })({ ...good, externalId: '' })).toEqual({
      externalId: 'Dieses Feld ist erforderlich',
    })
  })
})
