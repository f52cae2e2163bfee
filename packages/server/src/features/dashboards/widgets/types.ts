import type { WidgetData, WidgetDefinition } from '@leitstand/contract/dashboards'
import type { Executor } from '../../../platform/db/index.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { Use } from '../../../platform/uses.ts'
import type { SeriesFeature } from '../../series/index.ts'
import type { BoardPlace } from '../store/boards.ts'
import type { Selection } from '../store/data.ts'

/** What is wrong with a widget, and where. */
export interface Issue {
  path: string[]
  message: string
}

/** What the data of a widget depends on, beside its definition. */
export interface DataRequest {
  caller: Caller
  board: BoardPlace
  range: { start: Date; end: Date }
  timeZone: string | undefined
}

export interface ReadTools {
  db: Executor
  series: SeriesFeature
}

export type Loaded = Omit<WidgetData, 'widgetId' | 'error'> & { error?: WidgetData['error'] }

/** States of some twins, by their keys. */
export interface Followed {
  selection: Selection
  keys: readonly string[] | 'all'
}

/** One kind of widget: a folder beside this file. */
export interface Widget<W extends WidgetDefinition> {
  /** What its schema cannot say. */
  check(widget: W): Issue[]
  uses(widget: W): Use[]
  /** Its data. Throws what the caller may not see; deleted states are reported beside the data of the others. */
  read(widget: W, request: DataRequest, tools: ReadTools): Promise<Loaded>
  /** What it follows live beside the states it names. */
  follows(widget: W, place: BoardPlace): Followed[]
}
