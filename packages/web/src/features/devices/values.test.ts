import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { checkDevice, emptyDevice, toInput } from './values.ts'

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
    title: 'Diese Angabe fehlt.',
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
    'referenceIds.1.value': 'Diese Angabe fehlt.',
  })
})

it('asks for an EUI-64 where a network server names devices by it, but not of a device that has none', () => {
  const values = { ...emptyDevice, title: 'a', externalId: 'meter-7' }
  const preset = 'chirpstack-v4' as const
  expect(checkDevice(texts, { preset })(values)).toEqual({ externalId: 'no EUI' })
  expect(checkDevice(texts, { preset, kept: 'meter-7' })(values)).toEqual({})
  expect(checkDevice(texts, { preset: 'standard' })(values)).toEqual({})
})
