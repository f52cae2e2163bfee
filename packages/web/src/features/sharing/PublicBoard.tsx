import { Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import type { Range } from '../../lib/range.ts'
import { LiveDot } from '../../ui/display/LiveDot.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { TimeRange } from '../../ui/page/TimeRange.tsx'
import { dashboardRange, type ReadWidgets, useBoardData, WidgetGrid } from '../dashboards/index.ts'
import type { OpenLink } from './PublicFrame.tsx'
import classes from './sharing.module.css'

type SharedBoard = Awaited<ReturnType<typeof client.shared.dashboard>>

const noParameters = {}

/** A shared dashboard, live; visitors choose the period. */
export default function PublicBoard({ link }: { link: OpenLink }) {
  const query = useQuery(api.shared.dashboard.queryOptions({ input: { key: link.key } }))
  const board = query.data as SharedBoard | undefined
  if (query.isError && !board)
    return <ErrorState order={1} error={query.error} onRetry={() => void query.refetch()} />
  if (!board) return <Loading lines={8} />
  return <Board link={link} board={board} />
}

function Board({ link, board }: { link: OpenLink; board: SharedBoard }) {
  const { t } = useTranslation()
  const [range, setRange] = useState<Range>(() => dashboardRange({}, board.settings.defaultDateRange))
  const read = useCallback<ReadWidgets>(
    (asked) => client.shared.dashboardData({ key: link.key, ...asked }),
    [link.key],
  )
  const data = useBoardData(board, range, noParameters, read)
  return (
    <div className={classes.tiles}>
      <header className={classes.head}>
        <div>
          <Title order={1}>{board.name}</Title>
          {board.description ? (
            <Text size="sm" c="dimmed" maw={720}>
              {board.description}
            </Text>
          ) : null}
        </div>
        <div className={classes.tools}>
          <TimeRange value={range} onChange={setRange} />
          <LiveDot />
        </div>
      </header>
      {data.isError && !data.data ? (
        <ErrorState error={data.error} onRetry={() => void data.refetch()} />
      ) : board.widgets.length === 0 ? (
        <EmptyState title={t('dashboards.noWidgets')} />
      ) : (
        <WidgetGrid
          board={board}
          data={data.data}
          ownData={none}
          range={range}
          parameters={noParameters}
          onZoom={setRange}
          onMove={() => undefined}
          actions={undefined}
        />
      )}
    </div>
  )
}

const none: ReadonlySet<number> = new Set()
