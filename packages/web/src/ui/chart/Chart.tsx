import { ActionIcon, Box, Menu, Skeleton, Table, Text, Tooltip } from '@mantine/core'
import {
  IconChartLine,
  IconDotsVertical,
  IconFileSpreadsheet,
  IconPhoto,
  IconTable,
} from '@tabler/icons-react'
import { Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatTime, formatValue } from '../../lib/format.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { csvRowsAllowed } from '../../lib/session.ts'
import { Icon } from '../display/Icon.tsx'
import '../list/cards.css'
import { Loading } from '../feedback/Loading.tsx'
import { notifyWarning } from '../feedback/notify.ts'
import { download, downloadUrl } from '../list/csv.ts'
import classes from './chart.module.css'
import { chartCsv } from './chartCsv.ts'
import type { EChartHandle } from './EChart.tsx'
import { tableRows } from './options.ts'
import type { ChartProps, ChartSeries } from './types.ts'

export type { ChartPoint, ChartProps, ChartSeries, ChartThreshold } from './types.ts'

/** Maximum rows of the table view; the CSV has all. */
const tableRowsMax = 1_000

const EChart = onDemand(() => import('./EChart.tsx'))

/**
 * Line, bar or gauge over time with exact values in the tooltip, gaps, thresholds, zoom by dragging, a table
 * of the same data, and PNG and CSV. The chart library is loaded when the first chart is shown.
 */
export function Chart(props: ChartProps) {
  const { t } = useTranslation()
  const [asTable, setAsTable] = useState(false)
  const handle = useRef<EChartHandle>(null)
  const height = props.height ?? '300px'
  const chart = (
    <Suspense
      fallback={
        <Loading>
          <Skeleton height={height} />
        </Loading>
      }
    >
      <EChart {...props} ref={handle} />
    </Suspense>
  )
  if (props.plain) return chart
  const rows = () => tableRows(props.series)
  const saveCsv = () => {
    const all = rows()
    const allowed = csvRowsAllowed(all.length)
    if (allowed < all.length) notifyWarning(t('list.fileCutByAccount', { count: allowed }))
    const titles = { time: t('chart.time'), object: t('chart.object') }
    const name = [props.series[0]?.object, props.title].filter(Boolean).join(' ')
    download(`${name}.csv`, chartCsv(titles, props.series, all.slice(0, allowed)))
  }
  return (
    <div className={classes.chart}>
      <div className={classes.tools}>
        <Tooltip label={t(asTable ? 'chart.asChart' : 'chart.asTable')}>
          <ActionIcon
            size={28}
            aria-label={t(asTable ? 'chart.asChart' : 'chart.asTable')}
            onClick={() => setAsTable(!asTable)}
          >
            <Icon of={asTable ? IconChartLine : IconTable} size={16} />
          </ActionIcon>
        </Tooltip>
        <Menu withinPortal>
          <Menu.Target>
            <ActionIcon size={28} aria-label={t('chart.export')}>
              <Icon of={IconDotsVertical} size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<Icon of={IconPhoto} size={16} />}
              disabled={asTable}
              onClick={() => savePng(handle.current, props.title)}
            >
              {t('chart.png')}
            </Menu.Item>
            <Menu.Item leftSection={<Icon of={IconFileSpreadsheet} size={16} />} onClick={saveCsv}>
              {t('chart.csv')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      {asTable ? <DataTableView series={props.series} rows={rows()} height={height} /> : chart}
    </div>
  )
}

function savePng(handle: EChartHandle | null, title: string): void {
  // The data URL goes to the anchor directly: fetching it would violate the content security policy.
  if (handle) downloadUrl(`${title}.png`, handle.png())
}

function DataTableView(props: {
  series: readonly ChartSeries[]
  rows: [number, ...unknown[]][]
  height: string
}) {
  const { t } = useTranslation()
  const { series, rows, height } = props
  return (
    <Box
      component="section"
      className={classes.table ?? ''}
      style={{ height: `calc(${height} - 26px)` }}
      tabIndex={0}
      aria-label={t('chart.asTable')}
    >
      <Table className="matrix" stickyHeader verticalSpacing={4} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('chart.time')}</Table.Th>
            {series.map((each) => (
              <Table.Th key={each.key} ta="right">
                {each.name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.slice(0, tableRowsMax).map(([ms, ...cells]) => (
            <Table.Tr key={ms}>
              <Table.Td>{formatTime(ms)}</Table.Td>
              {series.map((each, index) => (
                <Table.Td key={each.key} ta="right">
                  {formatValue(cells[index], each.unit)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {rows.length > tableRowsMax ? (
        <Text size="xs" c="dimmed" p="xs">
          {t('chart.tableCut', { count: tableRowsMax })}
        </Text>
      ) : null}
    </Box>
  )
}
