import { describe, expect, it } from 'vitest'
import { emptyMaster, masterFaults, numberOf, toMasterInput, toMasterValues } from './masterValues.ts'

const references = [
  { name: '', value: ' ' },
  { name: 'meterNo', value: '' },
]

it('reads what it sends', () => {
  const stored = {
    ...toMasterInput(emptyMaster),
    latitude: 53.5,
    longitude: 10,
    floorNumber: -1,
    parentId: 7,
  }
  const values = toMasterValues(stored)
  expect(values.parentId).toBe('7')
  expect(toMasterInput(values)).toEqual(stored)
})

it('sends numbers that were entered as text, null for empty ones, and no empty reference ids', () => {
  const entered = { title: ' Roof ', latitude: '53.5', longitude: '', floorNumber: '', parentId: null }
  expect(toMasterInput({ ...emptyMaster, ...entered, referenceIds: references })).toMatchObject({
    title: 'Roof',
    latitude: 53.5,
    longitude: null,
    floorNumber: null,
    parentId: null,
    referenceIds: [{ name: 'meterNo', value: '' }],
  })
})

it('shows errors of reference ids at their rows, and the coordinate that is missing', () => {
  const values = { ...emptyMaster, referenceIds: references, longitude: 10 }
  expect(masterFaults({ 'referenceIds.0.value': 'empty' }, values, 'half')).toEqual({
    'referenceIds.1.value': 'empty',
    latitude: 'half',
  })
  expect(masterFaults({}, { ...emptyMaster, latitude: 1, longitude: 2 }, 'half')).toEqual({})
})

describe('a number of a form', () => {
  it.each([
    ['', null],
    [null, null],
    ['0', 0],
    [0, 0],
    ['-1', -1],
    ['53.5', 53.5],
    [-0.5, -0.5],
    ['1e3', 1000],
  ])('%j is sent as %j', (typed, sent) => {
    expect(numberOf(typed)).toBe(sent)
  })

  it('that is none does not become zero', () => {
    expect(numberOf('12,5')).toBeNaN()
    expect(numberOf('drei')).toBeNaN()
  })
})

describe('a position', () => {
  const faults = (latitude: number | string | null, longitude: number | string | null) =>
    masterFaults({}, { ...emptyMaster, latitude, longitude }, 'half')

  it.each([
    [null, null, {}],
    ['', '', {}],
    [0, 0, {}],
    ['0', 0, {}],
    [53.5, '', { longitude: 'half' }],
    ['', 10, { latitude: 'half' }],
    [0, null, { longitude: 'half' }],
  ])('of %j and %j is faulty at %j', (latitude, longitude, expected) => {
    expect(faults(latitude, longitude)).toEqual(expected)
  })

  it('keeps the error that the server has found at the same field', () => {
    const values = { ...emptyMaster, latitude: null, longitude: 10 }
    expect(masterFaults({ latitude: 'too far north' }, values, 'half')).toEqual({ latitude: 'too far north' })
  })
})

describe('reference ids', () => {
  const rows = (...names: string[]) => names.map((name) => ({ name, value: name }))

  it.each([
    [['a', 'b'], 'referenceIds.1.name', 'referenceIds.1.name'],
    [['', 'a', '', 'b'], 'referenceIds.0.name', 'referenceIds.1.name'],
    [['', 'a', '', 'b'], 'referenceIds.1.value', 'referenceIds.3.value'],
    [['a'], 'referenceIds', 'referenceIds'],
    [['a'], 'title', 'title'],
  ])('of the rows %j: an error at %s is shown at %s', (names, path, shown) => {
    const values = { ...emptyMaster, referenceIds: rows(...names) }
    expect(Object.keys(masterFaults({ [path]: 'x' }, values, 'half'))).toEqual([shown])
  })

  it('with a value alone are sent, so that the server can say what is missing', () => {
    const referenceIds = [{ name: '', value: '7' }]
    expect(toMasterInput({ ...emptyMaster, referenceIds }).referenceIds).toEqual(referenceIds)
  })
})
