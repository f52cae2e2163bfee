import type { Dashboard } from '@leitstand/contract/dashboards'
import { Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTimeShort } from '../../lib/format.ts'
import type { Range } from '../../lib/range.ts'
import { useUrlSearch } from '../../lib/url.ts'
import { ErrorBoundary, ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import classes from './print.module.css'
import { dashboardRange, parameterValues } from './settings.ts'
import { useBoardData } from './useData.ts'
import { WidgetGrid } from './WidgetGrid.tsx'

/** Longest animation of a chart, and the time a map may take for its tiles. */
const settleMs = 1_500
const mapMs = 6_000

/** A dashboard on paper, `/print/dashboards/{id}?from=…&to=…`; the server prints it, see `platform/printing`. */
export default function PrintPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useQuery(api.dashboards.get.queryOptions({ input: { id: Number(id) } }))
  const board = query.data as Dashboard | undefined
  if (query.isError && !board) return <ErrorState order={1} error={query.error} />
  if (!board) return <Loading lines={8} />
  return (
    <ErrorBoundary>
      <Board board={board} />
    </ErrorBoundary>
  )
}

function Board({ board }: { board: Dashboard }) {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  const range = dashboardRange(search, board.settings.defaultDateRange)
  const parameters = parameterValues(search, board.settings.customParameters)
  const data = useBoardData(board, range, parameters)
  const isEmpty = board.widgets.length === 0
  const hasMap = board.widgets.some(({ definition }) => definition.type === 'twin-map')
  const isDrawn = useSettled(isEmpty || data.data !== undefined, hasMap ? mapMs : settleMs)
  if (data.isError && !data.data) return <ErrorState order={1} error={data.error} />
  return (
    <div className={classes.sheet} data-printable={isDrawn || undefined}>
      <header className={classes.head}>
        <div>
          <Title order={1}>{board.name}</Title>
          {board.description ? (
            <Text size="sm" c="dimmed">
              {board.description}
            </Text>
          ) : null}
        </div>
        <div className={classes.about}>
          <Text size="sm">{board.accountName}</Text>
          <Text size="sm" c="dimmed">
            {periodText(range)}
          </Text>
        </div>
      </header>
      {isEmpty ? (
        <Text c="dimmed">{t('dashboards.noWidgets')}</Text>
      ) : (
        <WidgetGrid
          board={board}
          data={data.data}
          ownData={none}
          range={range}
          parameters={parameters}
          onZoom={() => undefined}
          onMove={() => undefined}
          actions={undefined}
        />
      )}
    </div>
  )
}

/** Whether something has been true for as long as its drawing takes. */
function useSettled(value: boolean, ms: number): boolean {
  const [isSettled, settle] = useState(false)
  useEffect(() => {
    if (!value) return
    const timer = setTimeout(settle, ms, true)
    return () => clearTimeout(timer)
  }, [value, ms])
  return isSettled
}

function periodText(range: Range): string {
  if ('preset' in range) return ''
  return `${formatTimeShort(range.fromMs)} – ${formatTimeShort(range.toMs)}`
}

const none: ReadonlySet<number> = new Set()
