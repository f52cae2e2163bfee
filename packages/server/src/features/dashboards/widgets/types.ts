import type { WidgetData, WidgetDefinition } from '@leitstand/contract/dashboards'
import type { Executor } from '../../../platform/db/index.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { Use } from '../../../platform/uses.ts'
import type { SeriesFeature } from '../../series/index.ts'
import type { BoardPlace } from '../store/boards.ts'
import type { Selection } from '../store/data.ts'

/** A problem in a widget with its path. */
export interface Issue {
  path: string[]
  message: string
}

/** What the data of a widget depends on, in addition to its definition. */
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

/** States of some twins, by key. */
export interface Followed {
  selection: Selection
  keys: readonly string[] | 'all'
}

/** One kind of widget: a folder next to this file. */
export interface Widget<W extends WidgetDefinition> {
  /** Checks that its schema cannot express. */
  check(widget: W): Issue[]
  uses(widget: W): Use[]
  /**
   * Reads its data. Throws if the caller may not see a reference; deleted states are reported along with the
   * data of the others.
   */
  read(widget: W, request: DataRequest, tools: ReadTools): Promise<Loaded>
  /** What it follows live, in addition to the states it refers to. */
  follows(widget: W, place: BoardPlace): Followed[]
}
