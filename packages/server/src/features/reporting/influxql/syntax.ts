import type { Pattern } from './pattern.ts'

/** The only measurement, with its tags and fields. */
export const measurement = 'states_history'
export const database = 'leitstand'
export const tagNames = ['dtwin_id', 'dtwin_title', 'state_identifier'] as const
export type TagName = (typeof tagNames)[number]
export const fieldNames = ['value_number', 'value_string'] as const
export type FieldName = (typeof fieldNames)[number]
export const functionNames = ['mean', 'min', 'max', 'sum', 'count', 'last', 'first', 'median'] as const
export type FunctionName = (typeof functionNames)[number]

/** A query that cannot be parsed or is not supported. The message is meant for the author of the query. */
export class QueryError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'QueryError'
  }
}

/** A condition on tags. */
export type TagCondition =
  | { kind: 'and' | 'or'; of: readonly TagCondition[] }
  | { kind: 'is'; tag: TagName; value: string; negated: boolean }
  | { kind: 'matches'; tag: TagName; pattern: Pattern; negated: boolean }

export type Comparison = '<' | '<=' | '>' | '>=' | '='

/** A condition on time: milliseconds since 1970, or relative to now. */
export interface TimeCondition {
  comparison: Comparison
  fromNow: boolean
  ms: number
}

export interface Where {
  /** null: every series */
  tags: TagCondition | null
  times: readonly TimeCondition[]
}

export type Column = { as: string } & (
  | { kind: 'field'; field: FieldName }
  | { kind: 'tag'; tag: TagName }
  | { kind: 'function'; name: FunctionName; field: FieldName }
)

export type Fill = { kind: 'null' | 'none' | 'previous' } | { kind: 'value'; value: number }

export interface Select {
  kind: 'select'
  columns: readonly Column[]
  /** false: the measurement does not exist */
  isKnown: boolean
  where: Where
  interval: { lengthMs: number; offsetMs: number } | null
  groupBy: readonly TagName[]
  /** absent: not given in the query */
  fill: Fill | undefined
  descending: boolean
  limit: number | null
  offset: number
  seriesLimit: number | null
  seriesOffset: number
  timeZone: string
}

interface Shown {
  isKnown: boolean
  where: Where
  limit: number | null
  offset: number
}

export type Statement =
  | Select
  | ({ kind: 'databases' | 'policies' | 'measurements' | 'tagKeys' | 'fieldKeys' } & Shown)
  | ({ kind: 'tagValues'; keys: readonly TagName[] } & Shown)
