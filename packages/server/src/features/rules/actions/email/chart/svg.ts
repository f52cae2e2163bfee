import { DateTime } from 'luxon'
import { numberText } from '../../../../series/index.ts'

/** A chart of one state over a period. */
export interface Chart {
  title: string
  unit: string
  /** null: numbers as they are */
  decimals: number | null
  /** IANA */
  timeZone: string
  fromMs: number
  toMs: number
  /** milliseconds and value, in their order; null is a gap */
  points: readonly (readonly [number, number | null])[]
}

export const chartSize = { width: 600, height: 240 } as const
const frame = { left: 64, right: 24, top: 40, bottom: 30 } as const
const titleLengthMax = 70
const linesWanted = 4
/** Smaller differences, in proportion to the values, are not told apart. */
const spanMin = 1e-9
const hourMs = 3_600_000
/** Distances between the times below a chart. */
const timeStepsMs = [1 / 12, 1 / 4, 1, 3, 6, 12, 24, 48, 120, 240].map((hours) => hours * hourMs)
const timesMax = 7

const colours = {
  ink: '#1f2933',
  dimmed: '#52606d',
  grid: '#e4e7eb',
  line: '#1c7ed6',
  paper: '#ffffff',
} as const

/**
 * Pure. A line chart as an SVG document, with the newest value marked.
 * @returns null when there is no number to draw
 */
export function drawChart(chart: Chart): string | null {
  const { fromMs, toMs, points, decimals, timeZone } = chart
  const known = points.filter((point): point is readonly [number, number] => point[1] !== null)
  const newest = known.at(-1)
  if (newest === undefined) return null
  const steps = stepsOf(known.map(([, value]) => value))
  const [low, high] = [steps[0] as number, steps.at(-1) as number]
  const x = (ms: number) =>
    frame.left + ((ms - fromMs) / (toMs - fromMs)) * (chartSize.width - frame.left - frame.right)
  const y = (value: number) =>
    chartSize.height -
    frame.bottom -
    ((value - low) / (high - low)) * (chartSize.height - frame.top - frame.bottom)
  const right = chartSize.width - frame.right
  const grid = steps.flatMap((value) => [
    `<path d="M${frame.left} ${round(y(value))}H${right}" stroke="${colours.grid}"/>`,
    text(frame.left - 8, y(value) + 4, stepText(value, steps), { anchor: 'end', colour: colours.dimmed }),
  ])
  const times = timesOf(fromMs, toMs, timeZone).map(({ ms, label }) =>
    text(x(ms), chartSize.height - 10, label, { anchor: 'middle', colour: colours.dimmed }),
  )
  const value = [numberText(newest[1], decimals), chart.unit].filter(Boolean).join(' ')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${chartSize.width}" height="${chartSize.height}" font-family="DejaVu Sans" font-size="12">`,
    `<rect width="100%" height="100%" fill="${colours.paper}"/>`,
    text(16, 22, shortened(chart.title), { colour: colours.ink, size: 14 }),
    text(right, 22, value, { anchor: 'end', colour: colours.ink, size: 14 }),
    ...grid,
    ...times,
    `<path d="${lineOf(points, x, y)}" fill="none" stroke="${colours.line}" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/>`,
    `<circle cx="${round(x(newest[0]))}" cy="${round(y(newest[1]))}" r="4" fill="${colours.line}"/>`,
    '</svg>',
  ].join('\n')
}

/** Round numbers in equal distances around all values, lowest first; at least two. */
export function stepsOf(values: readonly number[]): number[] {
  const least = values.reduce((one, other) => Math.min(one, other))
  const most = values.reduce((one, other) => Math.max(one, other))
  const size = Math.max(Math.abs(least), Math.abs(most), spanMin)
  const span = most > least ? Math.max(most - least, size * spanMin) : size > spanMin ? size : 1
  const raw = span / linesWanted
  const power = 10 ** Math.floor(Math.log10(raw))
  const distance = ([1, 2, 5, 10].find((factor) => factor * power >= raw) as number) * power
  const first = Math.floor(least / distance)
  const last = Math.max(Math.ceil(most / distance), first + 1)
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * distance)
}

/** With as many decimals as tell the steps apart. */
function stepText(value: number, steps: readonly number[]): string {
  const distance = (steps[1] as number) - (steps[0] as number)
  return value.toFixed(Math.min(20, Math.max(0, -Math.floor(Math.log10(distance) + 1e-9))))
}

/** Times below the chart: hours of the day, and the date where a day begins. */
export function timesOf(fromMs: number, toMs: number, timeZone: string): { ms: number; label: string }[] {
  const step = timeStepsMs.find((each) => (toMs - fromMs) / each <= timesMax) ?? (toMs - fromMs) / timesMax
  const zoned = (ms: number) => DateTime.fromMillis(ms, { zone: timeZone })
  const midnight = zoned(fromMs).startOf('day').toMillis()
  const first = midnight + Math.ceil((fromMs - midnight) / step) * step
  const count = Math.floor((toMs - first) / step) + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const ms = first + index * step
    const at = zoned(ms)
    const isDay = step >= 24 * hourMs || (at.hour === 0 && at.minute === 0)
    return { ms, label: at.toFormat(isDay ? 'MM-dd' : 'HH:mm') }
  })
}

function lineOf(points: Chart['points'], x: (ms: number) => number, y: (value: number) => number): string {
  let drawing = false
  return points
    .flatMap(([ms, value]) => {
      if (value === null) {
        drawing = false
        return []
      }
      const command = drawing ? 'L' : 'M'
      drawing = true
      return `${command}${round(x(ms))} ${round(y(value))}`
    })
    .join('')
}

interface TextLook {
  anchor?: 'middle' | 'end'
  colour: string
  size?: number
}

function text(x: number, y: number, content: string, { anchor, colour, size }: TextLook): string {
  const place = `x="${round(x)}" y="${round(y)}" fill="${colour}"`
  const look = `${anchor ? ` text-anchor="${anchor}"` : ''}${size ? ` font-size="${size}"` : ''}`
  return `<text ${place}${look}>${escaped(content)}</text>`
}

function shortened(title: string): string {
  const letters = [...title]
  return letters.length <= titleLengthMax ? title : `${letters.slice(0, titleLengthMax - 1).join('')}…`
}

/** Characters that XML does not know make a document unreadable, also escaped. */
function escaped(content: string): string {
  return content
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
}

const round = (number: number) => Math.round(number * 100) / 100
