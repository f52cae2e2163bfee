import type { EChartsCoreOption } from 'echarts/core'
import type { ChartPalette } from './palette.ts'
import type { ChartProps, ChartSeries } from './types.ts'

/** The number to draw, or null: strings and objects leave a gap, booleans are 0 and 1. */
export function drawable(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'boolean') return value ? 1 : 0
  return null
}

/** Units in order of appearance; each gets an axis, from the third on they share the second. */
export function axisUnits(series: readonly ChartSeries[]): string[] {
  return [...new Set(series.map((each) => each.unit ?? ''))].slice(0, 2)
}

function axisIndex(units: readonly string[], unit: string | null | undefined): number {
  const index = units.indexOf(unit ?? '')
  return index < 0 ? units.length - 1 : index
}

interface Texts {
  /** Dependency of the texts: another language formats them again. */
  language?: string
  formatNumber: (value: number, digits?: number) => string
  formatTime: (ms: number) => string
}

/** Text of one point in the tooltip: `21,4 °C`. */
export function pointText(
  value: unknown,
  unit: string | null | undefined,
  decimals: number | null | undefined,
  texts: Texts,
): string {
  const number = drawable(value)
  if (number === null) return '–'
  const text =
    decimals === null || decimals === undefined
      ? texts.formatNumber(number)
      : texts.formatNumber(number, decimals)
  return unit ? `${text}\u202f${unit}` : text
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

interface TooltipPoint {
  seriesIndex: number
  color: string
  value: readonly [number, unknown]
}

/** Options of a line or bar chart over time. */
export function timeOptions(
  props: ChartProps,
  palette: ChartPalette,
  texts: Texts,
  animated: boolean,
): EChartsCoreOption {
  const units = axisUnits(props.series)
  const day = texts.language === 'de' ? '{d}. {MMM}' : '{d} {MMM}'
  const color = (index: number) => {
    const { color: own, tone } = props.series[index] ?? {}
    if (own !== undefined) return own
    if (tone !== undefined) return tone === 'warning' ? palette.warningFill : palette.error
    return palette.series[index % palette.series.length]
  }
  return {
    animation: animated,
    animationDuration: 250,
    color: [...palette.series],
    textStyle: { fontFamily: "'Inter Variable', system-ui, sans-serif" },
    grid: {
      left: 8,
      // Room for half of the axis's last label.
      right: 24,
      top: units.length > 1 ? 50 : units.some(Boolean) ? 30 : 14,
      bottom: props.series.length > 1 ? 34 : 6,
      containLabel: true,
    },
    legend: {
      show: props.series.length > 1,
      type: 'scroll',
      bottom: 0,
      icon: 'roundRect',
      itemWidth: 12,
      itemHeight: 3,
      textStyle: { color: palette.dimmed, fontSize: 12 },
      pageTextStyle: { color: palette.dimmed },
      pageIconColor: palette.dimmed,
      inactiveColor: palette.line,
    },
    tooltip: {
      trigger: 'axis',
      confine: true,
      backgroundColor: palette.surface,
      borderColor: palette.line,
      textStyle: { color: palette.text, fontSize: 12.5 },
      axisPointer: {
        type: props.kind === 'bar' ? 'shadow' : 'line',
        lineStyle: { color: palette.dimmed, type: 'solid', width: 1 },
      },
      formatter: (raw: unknown) => tooltipHtml(raw as TooltipPoint[], props, texts),
    },
    toolbox: props.onZoom
      ? {
          left: -9999,
          feature: { dataZoom: { yAxisIndex: 'none', brushStyle: { color: palette.accent, opacity: 0.14 } } },
        }
      : { show: false },
    xAxis: {
      type: 'time',
      ...(props.range ? { min: props.range.fromMs, max: props.range.toMs } : {}),
      axisLine: { lineStyle: { color: palette.line } },
      axisTick: { show: false },
      axisLabel: {
        color: palette.dimmed,
        fontSize: 11.5,
        hideOverlap: true,
        // A day without its month is ambiguous in a range over several months.
        formatter: { day: [day, `{primary|${day}}`] },
      },
      splitLine: { show: false },
    },
    yAxis: (units.length > 0 ? units : ['']).map((unit, index) => ({
      type: 'value',
      name: unit,
      nameTextStyle: {
        color: palette.dimmed,
        fontSize: 11.5,
        align: index === 0 ? 'left' : 'right',
        padding: [0, 0, 0, 0],
      },
      position: index === 0 ? 'left' : 'right',
      scale: props.kind === 'line',
      ...(props.min === undefined ? {} : { min: props.min }),
      ...(props.max === undefined ? {} : { max: props.max }),
      axisLabel: {
        color: palette.dimmed,
        fontSize: 11.5,
        formatter: (value: number) => texts.formatNumber(value),
      },
      splitLine: { show: index === 0, lineStyle: { color: palette.line } },
    })),
    series: props.series.map((each, index) => ({
      id: each.key,
      name: each.name,
      type: props.kind === 'bar' ? 'bar' : 'line',
      yAxisIndex: axisIndex(units, each.unit),
      data: each.points.map(([ms, value]) => [ms, drawable(value)]),
      connectNulls: false,
      ...symbolsOf(each),
      sampling: each.points.length > 4000 ? 'lttb' : undefined,
      step: each.step ? 'end' : false,
      smooth: props.smooth && !each.step ? 0.35 : false,
      ...(props.area && props.kind === 'line' && !each.secondary
        ? { areaStyle: { color: color(index), opacity: 0.12 } }
        : {}),
      ...(props.stacked ? { stack: 'all' } : {}),
      itemStyle: { color: color(index), borderRadius: roundingOf(props) },
      barMaxWidth: 28,
      lineStyle: {
        width: widthOf(each),
        type: each.secondary ? 'dashed' : 'solid',
        color: color(index),
      },
      emphasis: { focus: 'series' },
      ...(index === 0 && props.thresholds && props.thresholds.length > 0
        ? { markLine: markLine(props, palette) }
        : {}),
    })),
  }
}

/** Of a stack, the tops of all but the last bar are inside of it. */
function roundingOf({ kind, stacked }: ChartProps): number | number[] {
  return kind === 'bar' && !stacked ? [3, 3, 0, 0] : 0
}

function symbolsOf({ marks, points }: ChartSeries) {
  return { showSymbol: marks === true || points.length < 40, symbolSize: marks ? 8 : 5 }
}

function widthOf({ marks, secondary }: ChartSeries): number {
  if (marks) return 0
  return secondary ? 1 : 1.8
}

function markLine(props: ChartProps, palette: ChartPalette) {
  return {
    silent: true,
    symbol: 'none',
    data: props.thresholds?.map((threshold) => {
      const color = palette[threshold.tone ?? 'warning']
      return {
        yAxis: threshold.value,
        lineStyle: { color, type: 'dashed', width: 1.2 },
        label: { formatter: threshold.label ?? '', color, fontSize: 11, position: 'insideEndTop' },
      }
    }),
  }
}

function tooltipHtml(points: readonly TooltipPoint[], props: ChartProps, texts: Texts): string {
  const first = points[0]
  if (!first) return ''
  const rows = points.map((point) => {
    const series = props.series[point.seriesIndex]
    const dot = `<span style="display:inline-block;width:8px;height:8px;border-radius:50%;margin-right:7px;background:${point.color}"></span>`
    const text = pointText(point.value[1], series?.unit, props.decimals, texts)
    return `<div style="display:flex;gap:16px;justify-content:space-between"><span>${dot}${escapeHtml(series?.name ?? '')}</span><b style="font-variant-numeric:tabular-nums">${escapeHtml(text)}</b></div>`
  })
  return `<div style="margin-bottom:4px;opacity:.75">${escapeHtml(texts.formatTime(first.value[0]))}</div>${rows.join('')}`
}

/** Options of a gauge: the newest value of the first series on a semicircle. */
export function gaugeOptions(
  props: ChartProps,
  palette: ChartPalette,
  texts: Texts,
  animated: boolean,
): EChartsCoreOption {
  const series = props.series[0]
  const value = drawable(series?.points.at(-1)?.[1])
  const min = props.min ?? Math.min(0, value ?? 0)
  const max = props.max ?? niceMax(value ?? 100)
  return {
    animation: animated,
    series: [
      {
        // A stable id, so that the arc animates from the previous value instead of from zero.
        id: 'gauge',
        type: 'gauge',
        min,
        max,
        startAngle: 205,
        endAngle: -25,
        radius: '96%',
        center: ['50%', '60%'],
        progress: {
          show: value !== null,
          width: 14,
          roundCap: true,
          itemStyle: { color: gaugeColor(value, props, palette) },
        },
        axisLine: { roundCap: true, lineStyle: { width: 14, color: [[1, palette.track]] } },
        pointer: { show: false },
        axisTick: { show: false },
        splitLine: { show: false },
        axisLabel: {
          distance: 16,
          color: palette.dimmed,
          fontSize: 11,
          formatter: (tick: number) => (tick === min || tick === max ? texts.formatNumber(tick) : ''),
        },
        title: { offsetCenter: [0, '62%'], color: palette.dimmed, fontSize: 12 },
        detail: {
          offsetCenter: [0, '-2%'],
          color: palette.text,
          fontSize: 24,
          fontWeight: 600,
          formatter: () => pointText(value, series?.unit, props.decimals, texts),
        },
        data: [{ value: value ?? min, name: series?.name ?? '' }],
      },
    ],
  }
}

function gaugeColor(value: number | null, props: ChartProps, palette: ChartPalette): string {
  const passed = (props.thresholds ?? [])
    .filter((threshold) => value !== null && value >= threshold.value)
    .sort((a, b) => b.value - a.value)[0]
  return passed?.tone === 'warning' || (passed && !passed.tone)
    ? palette.warningFill
    : palette[passed?.tone ?? 'accent']
}

/** The next round number (1, 2, 5 × 10ⁿ) at or above a value. */
export function niceMax(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10
  return step * power
}

/** The data as rows by time, newest first: the time, then one cell per series. */
export function tableRows(series: readonly ChartSeries[]): [number, ...unknown[]][] {
  const rows = new Map<number, unknown[]>()
  for (const [index, each] of series.entries()) {
    for (const [ms, value] of each.points) {
      const row = rows.get(ms) ?? Array<unknown>(series.length).fill(null)
      row[index] = value
      rows.set(ms, row)
    }
  }
  return [...rows].sort(([a], [b]) => b - a).map(([ms, cells]) => [ms, ...cells])
}
