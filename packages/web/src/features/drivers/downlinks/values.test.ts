import { PredefinedDownlink } from '@leitstand/contract/downlinks'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  firstValues,
  nameOfNext,
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

test('choices come back from the lines they are written as', () => {
  const title = fc
    .string({ minLength: 1, maxLength: 20 })
    .map((text) => text.replace(/[\r\n]/g, ' ').trim())
    .filter((text) => text !== '')
  const option = fc.record({ value: fc.nat({ max: 0xffff_ffff }), title })
  fc.assert(
    fc.property(fc.array(option, { maxLength: 6 }), (options) => {
      expect(readOptions(optionLines(options))).toEqual(options)
    }),
  )
})

test.each([
  ['', []],
  ['\n \n', []],
  ['1=an', [{ value: 1, title: 'an' }]],
  ['  1  =  an aus  ', [{ value: 1, title: 'an aus' }]],
  ['1 =', [{ value: 1, title: '1' }]],
  ['1 = a = b', [{ value: 1, title: 'a = b' }]],
  ['0x1f = alle', [{ value: 31, title: 'alle' }]],
  ['1.5 = halb', [{ value: 1.5, title: 'halb' }]],
  [
    '1 = a\r\n2 = b',
    [
      { value: 1, title: 'a' },
      { value: 2, title: 'b' },
    ],
  ],
])('%j is read as %j', (text, options) => {
  expect(readOptions(text)).toEqual(options)
})

test.each(['an', '= an', 'eins = an', '1,5 = halb'])('%s has no number', (line) => {
  const [option] = readOptions(line)
  expect(option?.value).toBeNaN()
  const parameter = { ...newParameter('enum', place), options: [option] }
  expect(PredefinedDownlink.safeParse({ ...newDownlink('A'), parameters: [parameter] }).success).toBe(false)
})

test('a parameter of another type keeps its place and its names', () => {
  for (const from of parameterTypes)
    for (const to of parameterTypes) {
      const before = newParameter(from, { key: 'k', title: 'T', startBit: 12 })
      expect(newParameter(to, before)).toMatchObject({ type: to, key: 'k', title: 'T', startBit: 12 })
    }
})

test('parameters added one after another do not overlap', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parameterTypes), { maxLength: 10 }), (types) => {
      const parameters: ReturnType<typeof newParameter>[] = []
      for (const type of types) {
        const start = nextBit(parameters)
        expect(parameters.every(({ startBit }) => startBit < start)).toBe(true)
        parameters.push(newParameter(type, { ...place, startBit: start }))
      }
    }),
  )
})

test('a place that is still being typed does not count', () => {
  const typing = {
    ...newParameter('integer', place),
    startBit: '' as unknown as number,
    bits: 'x' as unknown as number,
  }
  expect(nextBit([typing as ReturnType<typeof newParameter>])).toBe(0)
  expect(
    nextBit([newParameter('bool', { ...place, startBit: 7 }), typing as ReturnType<typeof newParameter>]),
  ).toBe(8)
})

test('a number with a lower bound begins there', () => {
  const bounded = { ...newParameter('integer', { ...place, key: 'n' }), min: -5 } as ReturnType<
    typeof newParameter
  >
  const choice = { ...newParameter('enum', { ...place, key: 'e' }), options: [{ value: 3, title: 'drei' }] }
  expect(firstValues([bounded, choice as ReturnType<typeof newParameter>])).toEqual({ n: -5, e: 3 })
  expect(firstValues([])).toEqual({})
})

test.each([
  [[], 'Downlink 1'],
  [['Downlink 1'], 'Downlink 2'],
  [['Reset'], 'Downlink 2'],
  [['Downlink 2'], 'Downlink 3'],
  [['a', 'Downlink 3'], 'Downlink 4'],
])('beside %j the next one is %s', (names, name) => {
  expect(
    nameOfNext(
      names.map((each) => ({ name: each })),
      'Downlink',
    ),
  ).toBe(name)
})
