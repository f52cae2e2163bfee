import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { axisUnits, drawable, gaugeOptions, niceMax, pointText, tableRows, timeOptions } from './options.ts'
import { darkPalette, lightPalette } from './palette.ts'
import type { ChartProps, ChartSeries } from './types.ts'

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

describe('a scale that ends at a round number', () => {
  test.each([
    [1, 1],
    [1.01, 2],
    [4.2, 5],
    [5, 5],
    [5.1, 10],
    [21.4, 50],
    [99, 100],
    [0.02, 0.02],
    [0.021, 0.05],
    [-3, 1],
    [12_345_678, 20_000_000],
  ])('above %d is %d', (value, max) => {
    expect(niceMax(value)).toBeCloseTo(max, 10)
  })

  test('is at least the value, and less than ten times it', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (value) => {
        const max = niceMax(value)
        expect(max).toBeGreaterThanOrEqual(value * (1 - 1e-12))
        expect(max).toBeLessThanOrEqual(value * 10)
      }),
    )
  })
})

describe('points', () => {
  test.each([
    ['a number with its unit', 21.5, '°C', null, '21.5\u202f°C'],
    ['a number without a unit', 21.5, null, undefined, '21.5'],
    ['zero', 0, '%', null, '0\u202f%'],
    ['on as 1', true, '', null, '1'],
    ['off as 0', false, undefined, null, '0'],
    ['no text', 'open', '°C', null, '–'],
    ['no infinite number', Number.POSITIVE_INFINITY, '°C', null, '–'],
    ['nothing', undefined, '°C', null, '–'],
  ] as const)('show %s', (_name, value, unit, decimals, text) => {
    expect(pointText(value, unit, decimals, texts)).toBe(text)
  })

  test('are rounded to the decimals of the state, also to none', () => {
    const rounding = {
      ...texts,
      formatNumber: (value: number, digits?: number) =>
        digits === undefined ? 'free' : value.toFixed(digits),
    }
    expect(pointText(21.46, null, 1, rounding)).toBe('21.5')
    expect(pointText(21.46, null, 0, rounding)).toBe('21')
    expect(pointText(21.46, null, null, rounding)).toBe('free')
  })
})

describe('the look of a time chart', () => {
  interface Look {
    animation: boolean
    legend: { show: boolean }
    grid: { top: number }
    xAxis: { min?: number; max?: number; axisLabel: { formatter: { day: string[] } } }
    yAxis: {
      min?: number
      max?: number
      scale: boolean
      position: string
      axisLabel: { formatter: (value: number) => string }
    }[]
    toolbox: object
    tooltip: { axisPointer: { type: string }; formatter: (points: unknown) => string }
    series: {
      id: string
      type: string
      step: string | false
      smooth: number | false
      showSymbol: boolean
      sampling?: string
      areaStyle?: { color: string }
      lineStyle: { width: number; type: string; color: string }
      markLine?: { data: { yAxis: number; lineStyle: { color: string }; label: { formatter: string } }[] }
    }[]
  }
  const look = (change: Partial<ChartProps>, language = 'de') =>
    timeOptions(
      { kind: 'line', title: 'x', series: [temperature], ...change },
      lightPalette,
      { ...texts, language },
      false,
    ) as unknown as Look

  test('has a legend only if there is more than one line', () => {
    expect(look({}).legend.show).toBe(false)
    expect(look({ series: [temperature, humidity] }).legend.show).toBe(true)
  })

  test('leaves room for the names of its axes', () => {
    const top = (series: ChartSeries[]) => look({ series }).grid.top
    expect(top([{ ...temperature, unit: '' }])).toBeLessThan(top([temperature]))
    expect(top([temperature])).toBeLessThan(top([temperature, humidity]))
  })

  test('shows the wanted range, else that of the data', () => {
    expect(look({ range: { fromMs: 5, toMs: 9 } }).xAxis).toMatchObject({ min: 5, max: 9 })
    expect(look({}).xAxis).not.toHaveProperty('min')
    expect(look({ min: 0, max: 100 }).yAxis[0]).toMatchObject({ min: 0, max: 100 })
    expect(look({}).yAxis[0]).not.toHaveProperty('max')
  })

  test('bars begin at zero, lines where the values are', () => {
    expect(look({ kind: 'bar' }).yAxis[0]?.scale).toBe(false)
    expect(look({ kind: 'line' }).yAxis[0]?.scale).toBe(true)
    expect(look({ kind: 'bar' }).series[0]?.type).toBe('bar')
    expect(look({ kind: 'bar' }).tooltip.axisPointer.type).toBe('shadow')
  })

  test('days are written as in the language', () => {
    expect(look({}, 'de').xAxis.axisLabel.formatter.day[0]).toBe('{d}. {MMM}')
    expect(look({}, 'en').xAxis.axisLabel.formatter.day[0]).toBe('{d} {MMM}')
  })

  test('can be zoomed only where somebody listens', () => {
    expect(look({}).toolbox).toEqual({ show: false })
    expect(look({ onZoom: () => undefined }).toolbox).toHaveProperty('feature.dataZoom')
  })

  test('values that hold until the next one are steps, and never smooth', () => {
    const [series] = look({ smooth: true, series: [{ ...temperature, step: true }] }).series
    expect([series?.step, series?.smooth]).toEqual(['end', false])
    expect(look({ smooth: true }).series[0]).toMatchObject({ step: false, smooth: 0.35 })
  })

  test('companions are thin and dashed and have no area', () => {
    const { series } = look({
      area: true,
      series: [temperature, { ...temperature, key: 'min', secondary: true }],
    })
    expect(series.map(({ lineStyle }) => [lineStyle.width, lineStyle.type])).toEqual([
      [1.8, 'solid'],
      [1, 'dashed'],
    ])
    expect(series.map((each) => each.areaStyle !== undefined)).toEqual([true, false])
    expect(look({ area: true, kind: 'bar' }).series[0]).not.toHaveProperty('areaStyle')
  })

  test('colours are those of the palette in turn, or their own', () => {
    const many = Array.from({ length: 10 }, (_, index) => ({ ...temperature, key: String(index) }))
    const colors = look({ series: [...many, { ...temperature, color: '#123456' }] }).series.map(
      ({ lineStyle }) => lineStyle.color,
    )
    expect(colors.slice(0, 8)).toEqual(lightPalette.series)
    expect(colors.slice(8)).toEqual([lightPalette.series[0], lightPalette.series[1], '#123456'])
  })

  test('few points are dots, very many are thinned out', () => {
    const points = (count: number) => Array.from({ length: count }, (_, index) => [index, index] as const)
    const shown = (count: number) => look({ series: [{ ...temperature, points: points(count) }] }).series[0]
    expect([shown(39)?.showSymbol, shown(40)?.showSymbol]).toEqual([true, false])
    expect([shown(4000)?.sampling, shown(4001)?.sampling]).toEqual([undefined, 'lttb'])
  })

  test('thresholds have the colour of their tone and their text', () => {
    const thresholds = [
      { value: 25, label: 'warm' },
      { value: 30, label: 'hot', tone: 'error' as const },
      { value: 20, tone: 'accent' as const },
    ]
    expect(
      look({ thresholds }).series[0]?.markLine?.data.map((line) => [
        line.yAxis,
        line.lineStyle.color,
        line.label.formatter,
      ]),
    ).toEqual([
      [25, lightPalette.warning, 'warm'],
      [30, lightPalette.error, 'hot'],
      [20, lightPalette.accent, ''],
    ])
    expect(look({ thresholds: [] }).series[0]).not.toHaveProperty('markLine')
  })

  test('a chart without series still has an axis', () => {
    expect(look({ series: [] }).yAxis).toHaveLength(1)
    expect(look({ series: [] }).series).toEqual([])
  })

  test('the tooltip is empty without points and escapes names, units and times', () => {
    const props: ChartProps = {
      kind: 'line',
      title: 'x',
      series: [{ ...temperature, name: '<img src=x onerror=alert(1)>', unit: '<b>' }],
    }
    const odd = { ...texts, formatTime: () => '<i>' }
    const { tooltip } = timeOptions(props, lightPalette, odd, false) as unknown as Look
    expect(tooltip.formatter([])).toBe('')
    const html = tooltip.formatter([{ seriesIndex: 0, color: '#000', value: [1, 20] }])
    expect(html).not.toMatch(/<(img|i|b)>/)
    expect(html).not.toContain('<img')
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    // A point of a series that is gone.
    expect(tooltip.formatter([{ seriesIndex: 7, color: '#000', value: [1, 20] }])).toContain('20')
  })

  test('labels of the value axis are written as all numbers', () => {
    const options = timeOptions(
      { kind: 'line', title: 'x', series: [temperature] },
      lightPalette,
      { formatNumber, formatTime, language: 'de' },
      true,
    ) as unknown as Look
    expect(options.animation).toBe(true)
    expect(options.yAxis[0]?.axisLabel.formatter(1500)).toBe(formatNumber(1500))
  })
})

describe('a gauge', () => {
  interface Gauge {
    series: {
      min: number
      max: number
      progress: { show: boolean; itemStyle: { color: string } }
      axisLabel: { formatter: (tick: number) => string }
      detail: { formatter: () => string }
      data: { value: number; name: string }[]
    }[]
  }
  const gauge = (value: unknown, change: Partial<ChartProps> = {}) => {
    const series: ChartSeries[] = [
      {
        key: 't',
        name: 'T',
        unit: '°C',
        points: [
          [1, 3],
          [2, value],
        ],
      },
    ]
    const options = gaugeOptions({ kind: 'gauge', title: 'x', series, ...change }, darkPalette, texts, false)
    const [first] = (options as unknown as Gauge).series
    if (!first) throw new Error('no gauge')
    return first
  }

  test('shows the newest value with its unit', () => {
    expect(gauge(21.5).detail.formatter()).toBe('21.5\u202f°C')
    expect(gauge(21.5).data).toEqual([{ value: 21.5, name: 'T' }])
  })

  test('has a scale that holds the value where none is given', () => {
    expect([gauge(21.5).min, gauge(21.5).max]).toEqual([0, 50])
    expect([gauge(-5).min, gauge(-5).max]).toEqual([-5, 1])
    expect([gauge(7, { min: -10, max: 40 }).min, gauge(7, { min: -10, max: 40 }).max]).toEqual([-10, 40])
  })

  test.each([null, undefined, 'text', {}])('%j is no value: an empty arc and a dash', (value) => {
    const empty = gauge(value)
    expect(empty.progress.show).toBe(false)
    expect(empty.detail.formatter()).toBe('–')
    expect(empty.data[0]?.value).toBe(empty.min)
  })

  test('labels only its ends', () => {
    const { axisLabel } = gauge(7, { min: 0, max: 10 })
    expect([0, 5, 10].map(axisLabel.formatter)).toEqual(['0', '', '10'])
  })

  test.each([
    [10, darkPalette.accent],
    [25, darkPalette.warningFill],
    [29.99, darkPalette.warningFill],
    [30, darkPalette.error],
    [99, darkPalette.error],
  ])('at %d it has the colour of the highest threshold it has reached', (value, color) => {
    const thresholds = [
      { value: 30, tone: 'error' as const },
      { value: 25, tone: 'warning' as const },
    ]
    expect(gauge(value, { thresholds }).progress.itemStyle.color).toBe(color)
    expect(gauge(value, { thresholds: thresholds.toReversed() }).progress.itemStyle.color).toBe(color)
  })

  test('a threshold without a tone is a warning', () => {
    expect(gauge(5, { thresholds: [{ value: 4 }] }).progress.itemStyle.color).toBe(darkPalette.warningFill)
    expect(gauge(null, { thresholds: [{ value: -9 }] }).progress.itemStyle.color).toBe(darkPalette.accent)
  })

  test('draws nothing without a series, and does not fail', () => {
    const [empty] = (
      gaugeOptions({ kind: 'gauge', title: 'x', series: [] }, darkPalette, texts, false) as unknown as Gauge
    ).series
    expect(empty?.data).toEqual([{ value: 0, name: '' }])
  })
})

describe('the table', () => {
  test('has every time once and every value in the column of its series', () => {
    const points = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer()), {
      selector: ([ms]) => ms,
    })
    fc.assert(
      fc.property(fc.array(points, { maxLength: 4 }), (all) => {
        const series = all.map((each, index) => ({ key: String(index), name: '', points: each }))
        const rows = tableRows(series)
        const times = rows.map(([ms]) => ms)
        expect(times).toEqual([...new Set(all.flat().map(([ms]) => ms))].toSorted((a, b) => b - a))
        for (const [ms, ...cells] of rows) {
          expect(cells).toEqual(all.map((each) => each.find(([at]) => at === ms)?.[1] ?? null))
        }
      }),
    )
  })
})
