import { fileURLToPath } from 'node:url'
import { renderAsync } from '@resvg/resvg-js'
import type { ChartRequest, MailPicture } from '../../../../../platform/mail/index.ts'
import type { SeriesFeature } from '../../../../series/index.ts'
import { chartSize, drawChart } from './svg.ts'

/** For sharp screens. */
const scale = 2
const pointsMax = 300
const font = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))

/** Draws the chart of a state; null: it has no numbers in the period, or does not exist any more. */
export async function pictureOf(
  series: Pick<SeriesFeature, 'chart'>,
  { stateId, from, to }: ChartRequest,
): Promise<MailPicture | null> {
  const range = { start: new Date(from), end: new Date(to) }
  const { series: found } = await series.chart([stateId], range, { method: 'avg', pointsMax })
  const [state] = found
  if (state === undefined) return null
  const { title, twinTitle, unit, decimals, timeZone, points } = state
  const svg = drawChart({
    title: `${twinTitle} · ${title}`,
    unit,
    decimals,
    timeZone,
    fromMs: range.start.getTime(),
    toMs: range.end.getTime(),
    points: points.map(([ms, value]) => [ms, numberOf(value)]),
  })
  if (svg === null) return null
  const picture = await renderAsync(svg, {
    fitTo: { mode: 'width', value: chartSize.width * scale },
    font: { fontFiles: [font], loadSystemFonts: false, defaultFontFamily: 'DejaVu Sans' },
  })
  return { title: `${twinTitle} · ${title}`, type: 'image/png', bytes: picture.asPng() }
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'number' ? value : null
}
