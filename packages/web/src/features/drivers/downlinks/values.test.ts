import { PredefinedDownlink } from '@leitstand/contract/downlinks'
import { expect, test } from 'vitest'
import {
  firstValues,
  newDownlink,
  newParameter,
  nextBit,
  optionLines,
  parameterTypes,
  readOptions,
} from './values.ts'

const place = { key: 'p', title: '', startBit: 0 }

test('what the editor begins with is sound, whatever its type', () => {
  for (const type of parameterTypes) {
    const downlink = { ...newDownlink('Reset'), payload: '00000000', parameters: [newParameter(type, place)] }
    expect(PredefinedDownlink.safeParse(downlink).success, type).toBe(true)
  }
})

test('the next parameter begins behind the others', () => {
  expect(nextBit([])).toBe(0)
  expect(nextBit([newParameter('bool', { ...place, startBit: 9 }), newParameter('integer', place)])).toBe(10)
})

test('choices are lines, and a line without a number is found', () => {
  const options = [
    { value: 0, title: 'Off' },
    { value: 7, title: 'On = open' },
  ]
  expect(readOptions(optionLines(options))).toEqual(options)
  expect(readOptions(' 3 \n\n')).toEqual([{ value: 3, title: '3' }])
  expect(readOptions('x = y')[0]?.value).toBeNaN()
})

test('fields begin with what can be sent, and numbers nobody has chosen stay empty', () => {
  const parameters = parameterTypes.map((type) => newParameter(type, { ...place, key: type }))
  expect(firstValues(parameters)).toEqual({ enum: 0, bool: false, text: '' })
})
