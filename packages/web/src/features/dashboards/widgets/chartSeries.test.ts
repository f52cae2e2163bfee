import { describe, expect, test } from 'vitest'
import { toChartSeries } from './chartSeries.ts'
import { contentHeight } from './Fill.tsx'
import { newWidget } from './index.ts'

const series = (stateId: number, title: string, twinTitle: string, points: [number, unknown][] = []) => ({
  stateId,
  title,
  twinTitle,
  unit: '°C',
  points,
})
type Given = Parameters<typeof toChartSeries>[0]

describe('the series of a chart', () => {
  test('have keys that stay, whatever they are called', () => {
    const same = [series(1, 'T', 'Halle'), series(2, 'T', 'Halle')] as unknown as Given
    expect(toChartSeries(same).map(({ key }) => key)).toEqual(['1', '2'])
  })

  test('of several twins are named by what tells them apart', () => {
    const twins = [series(1, 'T', 'Halle'), series(2, 'T', 'Büro')] as unknown as Given
    expect(toChartSeries(twins).map(({ name }) => name)).toEqual(['Halle', 'Büro'])
  })

  test('bridge intervals that are shorter than the device sends', () => {
    const points: [number, unknown][] = [
      [0, 1],
      [1, null],
      [2, 2],
      [3, null],
      [4, 3],
    ]
    const [drawn] = toChartSeries([series(1, 'T', 'Halle', points)] as unknown as Given)
    expect(drawn?.points.map(([, value]) => value)).toEqual([1, 2, 3])
  })

  test('of nothing are none', () => {
    expect(toChartSeries([])).toEqual([])
  })
})

describe('the height of a chart', () => {
  const widget = (change: object) => ({
    ...newWidget('line'),
    title: 'Temperatur',
    size: { columns: 6 as const, minHeightPx: 320 },
    ...change,
  })

  test.each([
    ['with a heading', {}, 256],
    ['with a hidden heading', { hideHeader: true }, 296],
    ['with a heading above the chart', { floatHeader: true }, 296],
    ['without a title', { title: '' }, 296],
    ['of a flat widget, never too little to read', { size: { columns: 6, minHeightPx: 80 } }, 120],
  ])('%s', (_name, change, height) => {
    expect(contentHeight(widget(change) as Parameters<typeof contentHeight>[0])).toBe(height)
  })
})
