/** A point: milliseconds since 1970 and the value; null is a gap, strings and objects are not drawn. */
export type ChartPoint = readonly [number, unknown]

export interface ChartSeries {
  key: string
  name: string
  unit?: string | null
  points: readonly ChartPoint[]
  /** in exported files */
  decimals?: number | null
  /** of the times in exported files; default: that of the browser */
  timeZone?: string
  /** the device or twin it belongs to, a column of exported files */
  object?: string
  /** Overrides the palette. */
  color?: string
  /** The colour of what it means, in both modes. */
  tone?: 'warning' | 'error'
  /** Thin and dashed, for companion lines such as minimum and maximum. */
  secondary?: boolean
  /** Only its points, without a line between them. */
  marks?: boolean
  /** Values hold until the next one (switches, counters). */
  step?: boolean
}

export interface ChartThreshold {
  value: number
  label?: string
  tone?: 'warning' | 'error' | 'accent'
}

export interface ChartProps {
  kind: 'line' | 'bar' | 'gauge'
  series: readonly ChartSeries[]
  /** Name for screen readers and exported files. */
  title: string
  /** CSS height; default 300px. */
  height?: string
  thresholds?: readonly ChartThreshold[]
  /** Ends of the time axis in ms; default: those of the data. */
  range?: { fromMs: number; toMs: number } | undefined
  /** Dragging over the chart requests a narrower range; the caller puts it into the address. */
  onZoom?: (range: { fromMs: number; toMs: number }) => void
  /** Scale of a gauge, and limits of the value axis. */
  min?: number
  max?: number
  decimals?: number | null
  /** Smooths the line. */
  smooth?: boolean
  /** Fills the area below the line. */
  area?: boolean
  /** Bars of the same time on top of each other; the first series at the bottom. */
  stacked?: boolean
  /** Hides the buttons (table, PNG, CSV), for tiles. */
  plain?: boolean
}
