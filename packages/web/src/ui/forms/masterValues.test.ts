import { expect, it } from 'vitest'
import { emptyMaster, masterFaults, toMasterInput, toMasterValues } from './masterValues.ts'

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
