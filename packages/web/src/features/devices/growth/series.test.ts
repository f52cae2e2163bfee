import { expect, it } from 'vitest'
import { seriesOf, stepsOf } from './series.ts'

const growth = {
  times: ['2026-06-01T00:00:00.000Z', '2026-06-02T00:00:00.000Z'],
  total: [1, 3],
  byConnector: [{ connectorId: 7, name: 'Network', counts: [1, 3] }],
  byAccount: [
    { accountId: 2, name: 'City', counts: [1, 2] },
    { accountId: 3, name: 'Quarter', counts: [0, 1] },
  ],
}
const [first, second] = growth.times.map((time) => Date.parse(time))

it.each([
  ['total', [['All', [1, 3]]]],
  ['connector', [['Network', [1, 3]]]],
  [
    'account',
    [
      ['City', [1, 2]],
      ['Quarter', [0, 1]],
    ],
  ],
] as const)('growth split by %s', (split, expected) => {
  expect(seriesOf(growth, split, 'All').map(({ name, points }) => [name, points])).toEqual(
    expected.map(([name, [from, to]]) => [
      name,
      [
        [first, from],
        [second, to],
      ],
    ]),
  )
})

it('takes days as steps while they are few', () => {
  expect([30, 90, 365].map(stepsOf)).toEqual([30, 90, 90])
})

it.each([
  [1, 1],
  [7, 7],
  [91, 90],
  [3650, 90],
])('%d days are %d steps', (days, steps) => {
  expect(stepsOf(days)).toBe(steps)
})

it('keeps lines of the same name apart', () => {
  const twice = {
    ...growth,
    byConnector: [
      { connectorId: 1, name: 'MQTT', counts: [1, 1] },
      { connectorId: 2, name: 'MQTT', counts: [0, 2] },
    ],
  }
  const keys = seriesOf(twice, 'connector', '').map(({ key }) => key)
  expect(new Set(keys).size).toBe(2)
})

it('has a gap where a count is missing, and no lines where there is nothing', () => {
  const short = { ...growth, byAccount: [{ accountId: 2, name: 'City', counts: [1] }] }
  expect(seriesOf(short, 'account', '')[0]?.points).toEqual([
    [first, 1],
    [second, null],
  ])
  const none = { times: [], total: [], byConnector: [], byAccount: [] }
  expect(seriesOf(none, 'total', 'All')).toEqual([{ key: 'total', name: 'All', points: [] }])
  expect(seriesOf(none, 'account', 'All')).toEqual([])
})
