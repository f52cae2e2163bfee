import type { WidgetData, WidgetDefinition } from '@leitstand/contract/dashboards'
import { errorCatalogue } from '@leitstand/contract/errors'
import type { Context } from '../../platform/context.ts'
import { isOutOfRange } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { SeriesFeature } from '../series/index.ts'
import { mapLimited } from './limited.ts'
import { widgetFor } from './widgets/index.ts'
import type { DataRequest, ReadTools } from './widgets/types.ts'

/** Widgets of one request whose data is read concurrently. */
const widgetsAtOnce = 4

/** Reads the data of widgets. */
export class WidgetReader {
  readonly #log: Context['log']
  readonly #tools: ReadTools

  constructor({ db, log }: Context, series: SeriesFeature) {
    this.#log = log
    this.#tools = { db, series }
  }

  /**
   * Data of several widgets, in their order; a failing widget returns its error and does not affect the
   * others.
   */
  readAll(
    widgets: readonly { id: number | null; definition: WidgetDefinition }[],
    request: DataRequest,
  ): Promise<WidgetData[]> {
    return mapLimited(widgets, widgetsAtOnce, async ({ id, definition }) => {
      try {
        const loaded = await widgetFor(definition).read(definition, request, this.#tools)
        return { widgetId: id, error: null, ...loaded }
      } catch (error) {
        return { widgetId: id, error: this.#toError(error, id) }
      }
    })
  }

  #toError(error: unknown, widgetId: number | null): { code: string; message: string } {
    if (error instanceof AppError && error.status < 500) return { code: error.code, message: error.message }
    if (isOutOfRange(error))
      return { code: 'PARAMETER_VALIDATION_ERROR', message: 'a number is out of range' }
    this.#log.error({ err: error, widgetId }, 'widget data failed')
    return { code: 'INTERNAL_ERROR', message: errorCatalogue.INTERNAL_ERROR[1] }
  }
}
