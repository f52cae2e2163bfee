import { WidgetDefinition } from '@leitstand/contract/dashboards'
import { expect, it } from 'vitest'
import { widgetFaults } from '../widgets/index.ts'
import { faultOf, shownAs, widgetWith } from './widget.ts'

const state = (id: number, change: object = {}) => ({
  id,
  key: `key_${id}`,
  twinId: id,
  valueType: 'number' as const,
  ...change,
})
const many = (count: number, change: (n: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, n) => state(n + 1, change(n)))

it.each(shownAs)('a %s widget with the states is complete', (kind) => {
  const widget = widgetWith(kind, [state(1), state(2)], 'Halls')
  expect(WidgetDefinition.parse(widget)).toEqual(widget)
  expect(widgetFaults(widget)).toEqual({})
  expect(widget.title).toBe('Halls')
})

it('a table has a row for each twin and a column for each key', () => {
  const states = [state(1, { key: 'co2' }), state(2, { key: 'co2' }), state(3, { key: 'heat', twinId: 2 })]
  expect(widgetWith('twin-table', states, '')).toMatchObject({
    twinTableOptions: { twinIds: [1, 2], stateKeys: ['co2', 'heat'], limit: 20 },
  })
  expect(
    widgetWith(
      'twin-table',
      many(50, () => ({ key: 'co2' })),
      '',
    ),
  ).toMatchObject({
    twinTableOptions: { limit: 50 },
  })
})

it('knows what does not fit', () => {
  expect(faultOf('value', many(24))).toBeNull()
  expect(faultOf('value', many(25))).toEqual({ key: 'tooMany', count: 24 })
  expect(faultOf('line', many(20))).toBeNull()
  expect(faultOf('line', many(21))).toEqual({ key: 'tooMany', count: 20 })
  expect(faultOf('line', [state(1), state(2, { valueType: 'text' })])).toEqual({ key: 'notDrawn', count: 1 })
  expect(faultOf('line', [state(1, { valueType: 'boolean' })])).toBeNull()
  expect(
    faultOf(
      'twin-table',
      many(100, () => ({ key: 'co2' })),
    ),
  ).toBeNull()
  expect(
    faultOf(
      'twin-table',
      many(101, () => ({ key: 'co2' })),
    ),
  ).toEqual({ key: 'tooManyTwins', count: 100 })
  expect(
    faultOf(
      'twin-table',
      many(21, () => ({ twinId: 1 })),
    ),
  ).toEqual({ key: 'tooManyKeys', count: 20 })
})
