import type { Dashboard, WidgetData, WidgetDefinition } from '@leitstand/contract/dashboards'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { client } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { type Range, rangeEnds } from '../../lib/range.ts'
import { reread } from '../../lib/reread.ts'
import { mergeLive } from './live.ts'
import { parameterPrefix } from './settings.ts'
import { dataPart } from './widgets/index.ts'

/** Refresh interval of a range that follows the present, to keep its intervals and edges current. */
const refreshMs = 60_000
/** Minimum time between reloads after live values made the data stale. */
const staleMs = 10_000

interface BoardData {
  widgets: readonly WidgetData[]
  fromMs: number
  toMs: number
}

/** Reads the data of all widgets of a dashboard. */
export type ReadWidgets = (
  range: { dateRangeStart: string; dateRangeEnd: string; timeZone: string },
  id: number,
  parameters: Record<string, string>,
) => Promise<{ widgets: readonly unknown[] }>

const readWidgets: ReadWidgets = (range, id, parameters) =>
  client.dashboards.widgetData({
    id,
    widgetId: '__all__',
    ...range,
    ...Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [`${parameterPrefix}${name}`, value]),
    ),
  })

/** Query key of all data of a dashboard's widgets. */
export function dataKey(id: number) {
  return ['dashboard-data', id] as const
}

/**
 * Data of all widgets of a dashboard in one request, updated live: incoming values are merged; data only the
 * server can compute is read again, at most every ten seconds.
 * @param read for public pages, which read through their link; must stay the same function
 */
export function useBoardData(
  board: Pick<Dashboard, 'id' | 'widgets'> | undefined,
  range: Range,
  parameters: Record<string, string>,
  read: ReadWidgets = readWidgets,
) {
  const id = board?.id ?? 0
  const cache = useQueryClient()
  const queryKey = [...dataKey(id), range, parameters]
  const query = useQuery({
    queryKey,
    enabled: board !== undefined && board.widgets.length > 0,
    staleTime: refreshMs / 2,
    ...('preset' in range ? { refetchInterval: refreshMs } : {}),
    placeholderData: keepPreviousData,
    queryFn: async (): Promise<BoardData> => {
      const ends = rangeEnds(range, Date.now())
      const { widgets } = await read(
        {
          dateRangeStart: new Date(ends.fromMs).toISOString(),
          dateRangeEnd: new Date(ends.toMs).toISOString(),
          timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        },
        id,
        parameters,
      )
      return { widgets: widgets as WidgetData[], ...ends }
    },
  })
  const definitions = useMemo(
    () => new Map(board?.widgets.map((widget) => [widget.id, widget.definition])),
    [board?.widgets],
  )
  const later = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(later.current), [])
  const readSoon = () => {
    if (later.current !== undefined) return
    later.current = setTimeout(() => {
      later.current = undefined
      void cache.invalidateQueries({ queryKey: dataKey(id) })
    }, staleMs)
  }
  // A range with two fixed ends is in the past: new values do not belong to it.
  const follows = board !== undefined && 'preset' in range
  useLive(follows ? `dashboard:${id}` : null, (message) => {
    if (message.kind === 'resync') void reread(cache, dataKey(id))
    if (message.kind !== 'values') return
    cache.setQueryData(queryKey, (before: BoardData | undefined) => {
      if (!before) return before
      const ends = rangeEnds(range, Date.now())
      const merged = mergeLive(before.widgets, message.values, { definitions, ...ends })
      if (merged.stale) readSoon()
      return merged.widgets === before.widgets ? before : { widgets: merged.widgets, ...ends }
    })
  })
  return query
}

/**
 * Data of a widget by its definition, for widgets that are not saved like this.
 * @param enabled false: sends no request
 */
export function useDefinitionData(
  boardId: number,
  definition: WidgetDefinition,
  range: Range,
  parameters: Record<string, string>,
  enabled: boolean,
) {
  const [asked] = useDebouncedValue(dataPart(definition), 350)
  const query = useQuery({
    queryKey: ['widget-preview', boardId, asked, range, parameters],
    enabled,
    staleTime: refreshMs / 2,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const ends = rangeEnds(range, Date.now())
      const data = await client.dashboards.dataByDefinition({
        id: boardId,
        widgetDefinition: JSON.parse(asked) as WidgetDefinition,
        dateRange: { start: new Date(ends.fromMs).toISOString(), end: new Date(ends.toMs).toISOString() },
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        customParameters: parameters,
      })
      return { data: data as WidgetData, ...ends }
    },
  })
  // The data still shown may be of a widget of another type.
  const fits = asked.includes(`"type":"${definition.type}"`)
  return { ...query, shown: fits ? query.data : undefined }
}
