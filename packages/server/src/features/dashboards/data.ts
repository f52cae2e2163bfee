import { ChartOptions, type WidgetData, type WidgetDefinition } from '@leitstand/contract/dashboards'
import { errorCatalogue } from '@leitstand/contract/errors'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type SeriesFeature, visibleScopes } from '../series/index.ts'
import { mapLimited } from './limited.ts'
import type { BoardPlace } from './store/boards.ts'
import {
  readCommonKeys,
  readEnd,
  readMap,
  readStates,
  readTable,
  readTwins,
  type Selection,
  type WidgetState,
} from './store/data.ts'

/** Widgets of one request whose data is read at the same time. */
const widgetsAtOnce = 4
/** Points of the small line in a value tile. */
const sparklinePointsMax = 100
/** Columns of a table that names none. */
const commonKeysMax = 8
/** Twins on one map. */
export const mapPointsMax = 1_000

/** What the data of a widget depends on, beside its definition. */
export interface DataRequest {
  caller: Caller
  board: BoardPlace
  range: { start: Date; end: Date }
  timeZone: string | undefined
}

type Loaded = Omit<WidgetData, 'widgetId' | 'error'> & { error?: WidgetData['error'] }

/** Reads the data of widgets. */
export class WidgetReader {
  readonly #ctx: Context
  readonly #series: SeriesFeature

  constructor(ctx: Context, series: SeriesFeature) {
    this.#ctx = ctx
    this.#series = series
  }

  /** Data of several widgets, in their order; one that fails says why and leaves the others alone. */
  readAll(
    widgets: readonly { id: number | null; definition: WidgetDefinition }[],
    request: DataRequest,
  ): Promise<WidgetData[]> {
    return mapLimited(widgets, widgetsAtOnce, async ({ id, definition }) => {
      try {
        return { widgetId: id, error: null, ...(await this.#read(definition, request)) }
      } catch (error) {
        return { widgetId: id, error: this.#toError(error, id) }
      }
    })
  }

  #toError(error: unknown, widgetId: number | null): { code: string; message: string } {
    if (error instanceof AppError && error.status < 500) return { code: error.code, message: error.message }
    this.#ctx.log.error({ err: error, widgetId }, 'widget data failed')
    return { code: 'INTERNAL_ERROR', message: errorCatalogue.INTERNAL_ERROR[1] }
  }

  #read(definition: WidgetDefinition, request: DataRequest): Promise<Loaded> {
    switch (definition.type) {
      case 'chart':
        return this.#readChart(ChartOptions.parse(definition.chartOptions ?? {}), request)
      case 'value':
        return this.#readValues(
          definition.valueOptions?.stateIds ?? [],
          definition.valueOptions?.sparkline ?? true,
          request,
        )
      case 'twin-table':
        return this.#readTable(definition.twinTableOptions, request)
      case 'twin-map':
        return this.#readMap(definition.twinMapOptions, request)
      case 'empty':
      case 'nested-dashboard':
        return Promise.resolve({})
    }
  }

  async #readChart(options: ChartOptions, request: DataRequest): Promise<Loaded> {
    const { states, error } = await this.#states(options.stateIds, request.caller)
    const ids = states.map(({ id }) => id)
    if (options.kind === 'gauge') {
      const values = await this.#readGauge(ids, request.range, options.gaugeValue)
      return { values: states.map((state) => toTile(state, values.get(state.id))), error }
    }
    const { method, duration } = options
    const chart = await this.#series.chart(ids, request.range, {
      method,
      duration,
      timeZone: request.timeZone,
    })
    return { ...chart, error }
  }

  /** One value per state for a range: its earliest or latest value, or a number made from all of them. */
  async #readGauge(
    stateIds: readonly number[],
    range: DataRequest['range'],
    kind: ChartOptions['gaugeValue'],
  ): Promise<Map<number, TileValue>> {
    if (kind === 'earliest' || kind === 'latest') return readEnd(this.#ctx.db, stateIds, range, kind)
    const totals = await this.#series.totals(stateIds, range)
    const name = kind === 'average' ? 'avg' : kind
    return new Map([...totals].map(([id, each]) => [id, { value: each[name], time: each.lastTime }]))
  }

  async #readValues(stateIds: readonly number[], sparkline: boolean, request: DataRequest): Promise<Loaded> {
    const { states, error } = await this.#states(stateIds, request.caller)
    const current = await this.#series.current(
      this.#ctx.db,
      states.map(({ id }) => id),
    )
    const values = states.map((state) => toTile(state, current.get(state.id)))
    const drawn = states.filter(({ valueType }) => valueType === 'number').map(({ id }) => id)
    if (!sparkline || drawn.length === 0) return { values, error }
    const { series } = await this.#series.chart(drawn, request.range, {
      method: 'avg',
      timeZone: request.timeZone,
      pointsMax: sparklinePointsMax,
    })
    return { values, series, error }
  }

  async #readTable(options: WidgetDefinition['twinTableOptions'], request: DataRequest): Promise<Loaded> {
    const { caller, board } = request
    const selection = toSelection(options, board)
    const scopes = await this.#twinScopes(selection, caller)
    const { db } = this.#ctx
    const named = options?.stateKeys ?? []
    const keys = named.length > 0 ? named : await readCommonKeys(db, selection, scopes, commonKeysMax)
    return { table: await readTable(db, selection, scopes, [...new Set(keys)], options?.limit ?? 20) }
  }

  async #readMap(options: WidgetDefinition['twinMapOptions'], request: DataRequest): Promise<Loaded> {
    const selection = toSelection(options, request.board)
    const scopes = await this.#twinScopes(selection, request.caller)
    return { map: await readMap(this.#ctx.db, selection, scopes, options?.stateKey ?? null, mapPointsMax) }
  }

  /**
   * The states a widget names. Deleted ones are left out and told beside the data of the others.
   * @throws AppError NO_PERMISSION when the caller may not see one of them
   */
  async #states(
    ids: readonly number[],
    caller: Caller,
  ): Promise<{ states: WidgetState[]; error: WidgetData['error'] }> {
    const wanted = [...new Set(ids)]
    const states = await readStates(this.#ctx.db, wanted, visibleScopes(caller))
    const hidden = states.filter(({ visible }) => !visible).length
    if (hidden > 0) throw new AppError('NO_PERMISSION', undefined, `${hidden} of the states may not be seen`)
    const gone = wanted.length - states.length
    const error =
      gone === 0 ? null : { code: 'DTWIN_STATE_NOT_FOUND', message: `${gone} of the states no longer exist` }
    return { states, error }
  }

  /** @throws AppError NO_PERMISSION when the caller may not see a twin the widget names */
  async #twinScopes(selection: Selection, caller: Caller) {
    const scopes = visibleScopes(caller)
    const ids = [...selection.twinIds, ...(selection.parentTwinId === null ? [] : [selection.parentTwinId])]
    const twins = await readTwins(this.#ctx.db, ids, scopes)
    if (twins.some(({ visible }) => !visible)) {
      throw new AppError('NO_PERMISSION', undefined, 'a twin of this widget may not be seen')
    }
    return scopes
  }
}

/** Without a parent and names of its own a widget looks below the twin of its dashboard. */
export function toSelection(
  options:
    | { parentTwinId?: number | undefined; twinIds?: readonly number[]; tags?: readonly string[] }
    | undefined,
  board: BoardPlace,
): Selection {
  const twinIds = options?.twinIds ?? []
  const inherited = twinIds.length === 0 ? board.parentTwinId : null
  return {
    parentTwinId: options?.parentTwinId ?? inherited,
    twinIds,
    tags: options?.tags ?? [],
    accountId: board.accountId,
  }
}

interface TileValue {
  value: NonNullable<WidgetData['values']>[number]['value']
  time: Date | null
}

function toTile(state: WidgetState, value: TileValue | undefined): NonNullable<WidgetData['values']>[number] {
  return {
    stateId: state.id,
    twinId: state.twinId,
    title: state.title,
    twinTitle: state.twinTitle,
    category: state.category,
    unit: state.unit,
    decimals: state.decimals,
    value: value?.value ?? null,
    time: value?.time?.toISOString() ?? null,
  }
}
