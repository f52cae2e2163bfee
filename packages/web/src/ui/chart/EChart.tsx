import { useComputedColorScheme } from '@mantine/core'
import { useReducedMotion } from '@mantine/hooks'
import { BarChart, GaugeChart, LineChart } from 'echarts/charts'
import {
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  ToolboxComponent,
  TooltipComponent,
} from 'echarts/components'
import * as echarts from 'echarts/core'
import german from 'echarts/i18n/langDE-obj.js'
import { CanvasRenderer } from 'echarts/renderers'
import { type Ref, useEffect, useImperativeHandle, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { gaugeOptions, timeOptions } from './options.ts'
import { darkPalette, lightPalette } from './palette.ts'
import type { ChartProps } from './types.ts'

echarts.use([
  BarChart,
  GaugeChart,
  LineChart,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  ToolboxComponent,
  TooltipComponent,
  CanvasRenderer,
])

// English is built in. This adds the names of months and tools.
echarts.registerLocale('DE', german)

export interface EChartHandle {
  /** The chart as a PNG data URL, with the background of the current mode. */
  png: () => string
}

/** The rendered chart, see `Chart`. */
export default function EChart({ ref, ...props }: ChartProps & { ref?: Ref<EChartHandle> }) {
  const { language } = useTranslation().i18n
  const host = useRef<HTMLDivElement>(null)
  const chart = useRef<echarts.ECharts | null>(null)
  const dark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  const reduced = useReducedMotion()
  const zoom = useRef(props.onZoom)
  useEffect(() => {
    zoom.current = props.onZoom
  })

  useEffect(() => {
    if (!host.current) return undefined
    const made = echarts.init(host.current, null, { locale: language === 'de' ? 'DE' : 'EN' })
    chart.current = made
    const observer = new ResizeObserver(() => made.resize())
    observer.observe(host.current)
    made.on('datazoom', (event: unknown) => {
      const { batch } = event as { batch?: { startValue?: number; endValue?: number }[] }
      const range = batch?.[0]
      if (range?.startValue === undefined || range.endValue === undefined) return
      zoom.current?.({ fromMs: Math.round(range.startValue), toMs: Math.round(range.endValue) })
    })
    return () => {
      observer.disconnect()
      made.dispose()
      chart.current = null
    }
  }, [language])

  const { series, kind, title, thresholds, range, min, max, decimals, smooth, area, stacked } = props
  const zoomable = props.onZoom !== undefined
  const options = useMemo(() => {
    const wanted: ChartProps = {
      series,
      kind,
      title,
      range,
      ...(thresholds ? { thresholds } : {}),
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
      ...(decimals === undefined ? {} : { decimals }),
      ...(smooth ? { smooth } : {}),
      ...(area ? { area } : {}),
      ...(stacked ? { stacked } : {}),
      ...(zoomable ? { onZoom: () => undefined } : {}),
    }
    const make = kind === 'gauge' ? gaugeOptions : timeOptions
    return make(wanted, dark ? darkPalette : lightPalette, { formatNumber, formatTime, language }, !reduced)
  }, [
    series,
    kind,
    title,
    range,
    thresholds,
    min,
    max,
    decimals,
    smooth,
    area,
    stacked,
    zoomable,
    dark,
    reduced,
    language,
  ])

  useEffect(() => {
    chart.current?.setOption(options, { replaceMerge: ['series', 'yAxis'] })
    if (zoomable) {
      chart.current?.dispatchAction({
        type: 'takeGlobalCursor',
        key: 'dataZoomSelect',
        dataZoomSelectActive: true,
      })
    }
  }, [options, zoomable])

  useImperativeHandle(ref, () => ({
    png: () =>
      chart.current?.getDataURL({
        type: 'png',
        pixelRatio: 2,
        backgroundColor: dark ? '#101315' : '#ffffff',
      }) ?? '',
  }))

  return (
    <div
      ref={host}
      role="img"
      aria-label={props.title}
      style={{ height: props.height ?? '300px', width: '100%' }}
    />
  )
}
