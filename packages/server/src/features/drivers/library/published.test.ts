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

describe('a published decoding differs from ours', () => {
  it.each([
    ['0 for truth', { open: 0 }, { open: true }, {}],
    ['a number for a text', { t: 21 }, { t: '21' }, {}],
    ['a text for a number', { t: '21' }, { t: 21 }, {}],
    ['an unknown word', { leak: 'M' }, { leak: false }, { leak: { variable: 'leak', values: { N: false } } }],
    [
      'a value that is not one of those for none',
      { t: 'no' },
      {},
      { t: { variable: 't', absent: ['none', 'off'] } },
    ],
    ['a number without a unit to remove', { d: 'x' }, { d: 7 }, { d: { variable: 'd', strip: ' mm' } }],
    ['more than rounding explains', { v: 3.5 }, { v: 3.56 }, { v: { variable: 'v', decimals: 1 } }],
    ['less than rounding would hide', { v: 3.5 }, { v: 3.501 }, {}],
    ['large numbers', { v: 1e12 }, { v: 1e12 + 2_000 }, {}],
  ])('%s', (_title, published, ours, names) => {
    expect(comparePublished(published, ours, names)).toHaveLength(1)
  })
})

it.each([
  [
    'a value that stands for none among others',
    { t: 'none' },
    {},
    { t: { variable: 't', absent: ['off', 'none'] } },
  ],
  ['a value at the edge of rounding', { v: 0.1 }, { v: 0.15 }, { v: { variable: 'v', decimals: 1 } }],
  ['large numbers that are close', { v: 1e12 }, { v: 1e12 + 1 }, {}],
  ['zero and next to nothing', { v: 0 }, { v: 1e-10 }, {}],
  ['words that mean none', { t: 'n/a' }, {}, { t: { variable: 't', values: { on: true } } }],
])('takes for the same: %s', (_title, published, ours, names) => {
  expect(comparePublished(published, ours, names)).toEqual([])
})

it('says what differs', () => {
  const names = { temp: 'temperature', gone: { variable: 'gone', absent: [0] } }
  expect(comparePublished({ temp: 20, gone: 0, other: 'x' }, { temperature: 21, gone: 5 }, names)).toEqual([
    { name: 'temp', published: 20, variable: 'temperature', ours: 21 },
    { name: 'gone', published: 0, variable: 'gone', ours: 5 },
    { name: 'other', published: 'x', variable: 'other', ours: null },
  ])
})
