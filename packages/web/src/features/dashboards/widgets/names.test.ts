import { expect, test } from 'vitest'
import { seriesNames } from './names.ts'
import { withoutUndefined } from './withoutUndefined.ts'

const of = (...names: [string, string][]) =>
  seriesNames(names.map(([twinTitle, title]) => ({ twinTitle, title })))

test.each([
  ['nothing', [], []],
  ['one state', [['Raum 1', 'Temperatur']], ['Temperatur']],
  [
    'several states of one twin',
    [
      ['Raum 1', 'Temperatur'],
      ['Raum 1', 'Feuchte'],
    ],
    ['Temperatur', 'Feuchte'],
  ],
  [
    'the same state of several twins',
    [
      ['Raum 1', 'Temperatur'],
      ['Raum 2', 'Temperatur'],
    ],
    ['Raum 1', 'Raum 2'],
  ],
  [
    'several states of several twins',
    [
      ['Raum 1', 'Temperatur'],
      ['Raum 2', 'Feuchte'],
    ],
    ['Raum 1 › Temperatur', 'Raum 2 › Feuchte'],
  ],
] as [string, [string, string][], string[]][])('%s', (_name, series, names) => {
  expect(of(...series)).toEqual(names)
})

test('what is undefined is absent, what is empty stays', () => {
  const options = { min: undefined, max: 0, label: '', list: [], nothing: null, off: false }
  expect(Object.keys(withoutUndefined(options))).toEqual(['max', 'label', 'list', 'nothing', 'off'])
})
