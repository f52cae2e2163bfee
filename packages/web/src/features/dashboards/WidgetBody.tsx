import type { WidgetData, WidgetDefinition } from '@leitstand/contract/dashboards'
import { Table, Text, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconChartLine, IconMapPinOff, IconTable } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatTimeExact } from '../../lib/format.ts'
import type { Range } from '../../lib/range.ts'
import { thingPath } from '../../lib/recent.ts'
import type { Tone } from '../../ui/Badges.tsx'
import { Chart, type ChartSeries, type ChartThreshold } from '../../ui/Chart.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { MapView } from '../../ui/MapView.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { RouterLink } from '../../ui/RouterLink.tsx'
import { bridgeGaps, levelOf, Sparkline, stateText } from '../twins/index.ts'
import classes from './dashboards.module.css'

interface WidgetBodyProps {
  definition: WidgetDefinition
  data: WidgetData
  /** ends of the time axis */
  range: { fromMs: number; toMs: number }
  onZoom?: (range: Range) => void
}

/** What a widget shows, by its type. Deleted or forbidden states are said in the widget, the rest is drawn. */
export function WidgetBody(props: WidgetBodyProps) {
  const { data } = props
  const nothing = !data.series?.length && !data.values?.length && !data.table && !data.map
  return (
    <>
      {data.error ? <WidgetError error={data.error} alone={nothing} /> : null}
      {data.error && nothing ? null : <WidgetContent {...props} />}
    </>
  )
}

function WidgetContent(props: WidgetBodyProps) {
  const { definition, data } = props
  const { t } = useTranslation()
  switch (definition.type) {
    case 'chart':
      return definition.chartOptions?.kind === 'gauge' ? <Gauges {...props} /> : <TimeChart {...props} />
    case 'value':
      return <Tiles data={data} />
    case 'twin-table':
      return <TwinTable {...props} />
    case 'twin-map':
      return <TwinMap {...props} />
    case 'nested-dashboard':
      return (
        <EmptyState title={t('dashboards.unknownWidget')} text={t('dashboards.unknownWidgetText')} compact />
      )
    case 'empty':
      return null
  }
}

/** A fault of one widget, in the user's language. `alone`: there is nothing else to show. */
export function WidgetError(props: { error: { code: string; message: string }; alone: boolean }) {
  const { t, i18n } = useTranslation()
  const key = `errors.${props.error.code}`
  const text = i18n.exists(key) ? t(key) : props.error.message
  if (props.alone) {
    return (
      <div role="alert">
        <EmptyState icon={IconAlertTriangle} title={t('dashboards.widgetFailed')} text={text} compact />
      </div>
    )
  }
  return (
    <div className={classes.warning} role="alert">
      <Icon of={IconAlertTriangle} size={15} />
      {text}
    </div>
  )
}

type Series = NonNullable<WidgetData['series']>[number]

/** Names of series: the twin is only named when there are several, the state only when it differs. */
function seriesNames(series: readonly { title: string; twinTitle: string }[]): string[] {
  const twins = new Set(series.map((each) => each.twinTitle))
  const titles = new Set(series.map((each) => each.title))
  return series.map((each) => {
    if (twins.size === 1) return each.title
    return titles.size === 1 ? each.twinTitle : `${each.twinTitle} › ${each.title}`
  })
}

function toChartSeries(series: readonly Series[]): ChartSeries[] {
  const names = seriesNames(series)
  return series.map((each, index) => ({
    key: String(each.stateId),
    name: names[index] ?? each.title,
    unit: each.unit,
    points: bridgeGaps(each.points),
  }))
}

function TimeChart({ definition, data, range, onZoom }: WidgetBodyProps) {
  const { t } = useTranslation()
  const series = data.series ?? []
  const options = definition.chartOptions
  if (series.every((each) => each.points.length === 0))
    return (
      <EmptyState icon={IconChartLine} title={t('history.empty')} text={t('history.emptyText')} compact />
    )
  return (
    <Fill minHeightPx={contentHeight(definition)}>
      <Chart
        kind={options?.kind === 'bar' ? 'bar' : 'line'}
        title={definition.title || t('dashboards.chart')}
        series={toChartSeries(series)}
        smooth={options?.smooth ?? false}
        area={options?.area ?? false}
        thresholds={(options?.thresholds ?? []).map(({ value, label }) => ({ value, label }))}
        range={range}
        height="100%"
        {...(options?.min === undefined ? {} : { min: options.min })}
        {...(options?.max === undefined ? {} : { max: options.max })}
        {...(onZoom ? { onZoom } : {})}
      />
    </Fill>
  )
}

/** Room for a chart: as high as the widget, which may be higher than it asked for because of its neighbours. */
function Fill({ minHeightPx, children }: { minHeightPx: number; children: ReactNode }) {
  return (
    <div className={classes.fill} style={{ minHeight: minHeightPx }}>
      <div className={classes.filled}>{children}</div>
    </div>
  )
}

/** Height that is left for the content below the header, in px. */
function contentHeight({ size, hideHeader, floatHeader, title }: WidgetDefinition): number {
  const header = hideHeader || floatHeader || title === '' ? 0 : 40
  return Math.max(120, size.minHeightPx - header - 24)
}

function Gauges({ definition, data }: WidgetBodyProps) {
  const { t } = useTranslation()
  const values = data.values ?? []
  const names = seriesNames(values)
  const { min, max, lowerThreshold, upperThreshold } = definition.chartOptions ?? {}
  const thresholds: ChartThreshold[] = [
    ...(lowerThreshold === undefined ? [] : [{ value: lowerThreshold, tone: 'warning' as const }]),
    ...(upperThreshold === undefined ? [] : [{ value: upperThreshold, tone: 'error' as const }]),
  ]
  if (values.length === 0) return <EmptyState title={t('history.empty')} compact />
  return (
    <div className={classes.gauges}>
      {values.map((value, index) => (
        <div key={value.stateId} className={classes.gauge}>
          <Chart
            kind="gauge"
            plain
            title={names[index] ?? value.title}
            series={[
              {
                key: String(value.stateId),
                name: names[index] ?? value.title,
                unit: value.unit,
                points: value.value === null ? [] : [[Date.parse(value.time ?? '') || 0, value.value]],
              },
            ]}
            thresholds={thresholds}
            decimals={value.decimals}
            height={`${Math.min(280, contentHeight(definition))}px`}
            {...(min === undefined ? {} : { min })}
            {...(max === undefined ? {} : { max })}
          />
        </div>
      ))}
    </div>
  )
}

function Tiles({ data }: { data: WidgetData }) {
  const { t } = useTranslation()
  const values = data.values ?? []
  const names = seriesNames(values)
  const curves = new Map(data.series?.map((series) => [series.stateId, series.points]))
  return (
    <ul className={classes.tiles}>
      {values.map((value, index) => {
        return (
          <li key={value.stateId} className={classes.tile}>
            <RouterLink
              to={thingPath(value.category, value.twinId)}
              className={classes.tileLabel ?? ''}
              c="dimmed"
              title={value.twinTitle}
            >
              {names[index]}
            </RouterLink>
            <span className={classes.tileValue}>
              {stateText(value.value, { decimals: value.decimals })}
              {value.unit && value.value !== null ? <small>{value.unit}</small> : null}
            </span>
            <span className={classes.tileFoot}>
              <RelativeTime time={value.time} empty={t('states.noValue')} />
              <Sparkline points={bridgeGaps(curves.get(value.stateId) ?? [])} width={90} height={30} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}

function TwinTable({ definition, data }: WidgetBodyProps) {
  const { t } = useTranslation()
  const { table } = data
  if (!table) return null
  if (table.rows.length === 0)
    return (
      <EmptyState
        icon={IconTable}
        title={t('dashboards.noTwins')}
        text={t('dashboards.noTwinsText')}
        compact
      />
    )
  return (
    <div className={classes.tableBox} style={{ maxHeight: definition.size.minHeightPx }}>
      <Table stickyHeader verticalSpacing={6} fz="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('dashboards.twinColumn')}</Table.Th>
            {table.columns.map((column) => (
              <Table.Th key={column.key} ta="right">
                {column.title}
                {column.unit ? (
                  <Text span size="xs" c="dimmed">
                    {' '}
                    {column.unit}
                  </Text>
                ) : null}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {table.rows.map((row) => (
            <Table.Tr key={row.twinId}>
              <Table.Td>
                <RouterLink to={thingPath(row.category, row.twinId)} c="inherit" fw={550}>
                  {row.title}
                </RouterLink>
              </Table.Td>
              {table.columns.map((column, index) => {
                const cell = row.cells[index]
                return (
                  <Table.Td key={column.key} ta="right">
                    {cell && cell.value !== null ? (
                      <Tooltip label={cell.time ? formatTimeExact(cell.time) : t('states.noValue')}>
                        <span className="tabular">{stateText(cell.value, {})}</span>
                      </Tooltip>
                    ) : (
                      <Text span c="dimmed">
                        –
                      </Text>
                    )}
                  </Table.Td>
                )
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {table.total > table.rows.length ? (
        <Text size="xs" c="dimmed" p="xs">
          {t('dashboards.tableMore', { shown: table.rows.length, total: table.total })}
        </Text>
      ) : null}
    </div>
  )
}

const levelTones = {
  ok: 'ok',
  warning: 'warning',
  error: 'error',
  invalid: 'invalid',
} as const satisfies Record<string, Tone>

function TwinMap({ definition, data }: WidgetBodyProps) {
  const { t } = useTranslation()
  const { map } = data
  if (!map) return null
  if (map.points.length === 0)
    return (
      <EmptyState
        icon={IconMapPinOff}
        title={t('dashboards.noPlaces')}
        text={t('dashboards.noPlacesText')}
        compact
      />
    )
  return (
    <>
      <MapView
        title={definition.title ? t('dashboards.mapOf', { title: definition.title }) : t('dashboards.map')}
        height={`${contentHeight(definition)}px`}
        plain={definition.size.columns < 6}
        points={map.points.map(({ twinId, title, category, latitude, longitude, state }) => {
          const level = state ? levelOf(state.value, { ...state, lowerBound: null, upperBound: null }) : null
          return {
            id: String(twinId),
            title,
            latitude,
            longitude,
            href: thingPath(category, twinId),
            tone: level ? levelTones[level] : ('accent' as const),
            ...(state ? { detail: `${state.title}: ${stateText(state.value, state)}` } : {}),
          }
        })}
      />
      {map.total > map.points.length ? (
        <Text size="xs" c="dimmed" pt="xs">
          {t('dashboards.mapMore', { shown: map.points.length, total: map.total })}
        </Text>
      ) : null}
    </>
  )
}
