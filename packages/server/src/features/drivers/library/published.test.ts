import { describe, expect, it } from 'vitest'
import { comparePublished } from './published.ts'

describe('a published decoding agrees with ours', () => {
  it.each([
    ['same name, same value', { t: 21.5 }, { t: 21.5 }, {}],
    ['another name', { temp: 21.5 }, { temperature: 21.5 }, { temp: 'temperature' }],
    ['another unit', { p: 101_325 }, { pressure: 1013.25 }, { p: { variable: 'pressure', factor: 0.01 } }],
    ['0 and 1 for truth', { open: 1, tamper: 0 }, { open: true, tamper: false }, {}],
    ['words', { leak: 'N' }, { leak: false }, { leak: { variable: 'leak', values: { N: false, Y: true } } }],
    ['numbers as text', { t: '24.90' }, { t: 24.9 }, { t: { variable: 't', number: true as const } }],
    ['a unit behind the number', { d: '2799 mm' }, { d: 2799 }, { d: { variable: 'd', strip: ' mm' } }],
    ['a value that stands for none', { t: 'none' }, {}, { t: { variable: 't', absent: ['none'] } }],
    ['a rounded value', { v: 3.5 }, { v: 3.528 }, { v: { variable: 'v', decimals: 1 } }],
    [
      'a value in two parts',
      { whole: 5, tenths: 0.1, factor: 2 },
      { current: 10.2 },
      {
        whole: { variable: 'current', plus: 'tenths', times: 'factor' },
        tenths: { omitted: 'part of current' },
        factor: { omitted: 'part of current' },
      },
    ],
  ])('%s', (_title, published, ours, names) => {
    expect(comparePublished(published, ours, names)).toEqual([])
  })
})

it('says what differs', () => {
  const names = { temp: 'temperature', gone: { variable: 'gone', absent: [0] } }
  expect(comparePublished({ temp: 20, gone: 0, other: 'x' }, { temperature: 21, gone: 5 }, names)).toEqual([
    { name: 'temp', published: 20, variable: 'temperature', ours: 21 },
    { name: 'gone', published: 0, variable: 'gone', ours: 5 },
    { name: 'other', published: 'x', variable: 'other', ours: null },
  ])
})
