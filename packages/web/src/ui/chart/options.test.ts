import { describe, expect, test } from 'vitest'
import { axisUnits, drawable, niceMax, pointText, tableRows, timeOptions } from './options.ts'
import { lightPalette } from './palette.ts'
import type { ChartSeries } from './types.ts'

const texts = { formatNumber: (value: number) => String(value), formatTime: (ms: number) => `at ${ms}` }
const temperature: ChartSeries = {
  key: 't',
  name: 'T <1>',
  unit: '°C',
  points: [
    [1, 20],
    [2, null],
    [3, 'x'],
    [4, true],
  ],
}
const humidity: ChartSeries = { key: 'h', name: 'H', unit: '%', points: [[2, 50]] }

interface Built {
  series: {
    data: [number, number | null][]
    yAxisIndex: number
    connectNulls: boolean
    markLine?: { data: { yAxis: number }[] }
  }[]
  yAxis: { name: string }[]
  tooltip: { formatter: (points: unknown) => string }
}

function build(series: readonly ChartSeries[]): Built {
  const options = timeOptions(
    { kind: 'line', title: 'x', series, thresholds: [{ value: 23 }] },
    lightPalette,
    texts,
    false,
  )
  return options as unknown as Built
}

describe('a chart over time', () => {
  test('draws numbers and booleans and leaves gaps for the rest', () => {
    expect([1, true, false, null, 'x', Number.NaN, {}].map(drawable)).toEqual([
      1,
      1,
      0,
      null,
      null,
      null,
      null,
    ])
    const { series } = build([temperature])
    expect(series[0]?.data).toEqual([
      [1, 20],
      [2, null],
      [3, null],
      [4, 1],
    ])
    expect(series[0]?.connectNulls).toBe(false)
  })

  test('gives each unit an axis, at most two', () => {
    expect(axisUnits([temperature, humidity, { ...humidity, unit: 'ppm' }])).toEqual(['°C', '%'])
    const { series, yAxis } = build([temperature, humidity, { ...humidity, key: 'c', unit: 'ppm' }])
    expect(yAxis.map((axis) => axis.name)).toEqual(['°C', '%'])
    expect(series.map((each) => each.yAxisIndex)).toEqual([0, 1, 1])
  })

  test('shows thresholds once', () => {
    const { series } = build([temperature, humidity])
    expect(series.map((each) => each.markLine?.data.map((line) => line.yAxis))).toEqual([[23], undefined])
  })

  test('the tooltip says time, name and exact value, and cannot be used to smuggle markup', () => {
    const html = build([temperature]).tooltip.formatter([{ seriesIndex: 0, color: '#000', value: [1, 20] }])
    expect(html).toContain('at 1')
    expect(html).toContain('20\u202f°C')
    expect(html).toContain('T &lt;1&gt;')
    expect(html).not.toContain('<1>')
  })
})

test('text of a point', () => {
  expect(pointText(null, '°C', 1, texts)).toBe('–')
  expect(pointText(5, '', null, texts)).toBe('5')
})

test.each([
  [0, 1],
  [0.3, 0.5],
  [842, 1000],
  [1000, 1000],
  [1001, 2000],
])('a gauge that shows %d ends at %d', (value, max) => {
  expect(niceMax(value)).toBeCloseTo(max)
})

test('the table has a row a time, newest first', () => {
  expect(tableRows([temperature, humidity])).toEqual([
    [4, true, null],
    [3, 'x', null],
    [2, null, 50],
    [1, 20, null],
  ])
})
