import type { Db } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { PlainValue, SeriesFeature } from '../series/index.ts'
import {
  type AnsweredSeries,
  type Combined,
  combined,
  cut,
  type Epoch,
  edgesOf,
  fieldsOf,
  intervalRows,
  medianOf,
  plainRows,
  type Row,
  shownTime,
  timeOfWhole,
} from './answer.ts'
import {
  database,
  measurement,
  QueryError,
  type Select,
  type Statement,
  tagNames,
  type Where,
} from './influxql/syntax.ts'
import { type Plan, planOf, reportingLimits, tooManyPoints } from './plan.ts'
import { readStates } from './store.ts'
import { costOfMeeting, type Group, groupsOf, meets, possible, type TaggedState, valuesOf } from './tags.ts'

/** The result of one statement. */
export type Result = { statement_id: number } & ({ series?: AnsweredSeries[] } | { error: string })

interface Asking {
  db: Db
  series: SeriesFeature
  /** scopes to search for states */
  scopeIds: readonly number[]
  nowMs: number
  epoch: Epoch | null
  /** time left for the request, in milliseconds */
  timeLeft: () => number
}

/** Runs statements one after another; a failing statement returns its error and does not stop the others. */
export async function answerAll(asking: Asking, statements: readonly Statement[]): Promise<Result[]> {
  const results: Result[] = []
  for (const [index, statement] of statements.entries()) {
    try {
      if (asking.timeLeft() <= 0) throw new AppError('REQUEST_TIMEOUT')
      const series = await answer(asking, statement)
      results.push({ statement_id: index, ...(series.length === 0 ? {} : { series }) })
    } catch (error) {
      results.push({ statement_id: index, error: reasonOf(error) })
    }
  }
  return results
}

function reasonOf(error: unknown): string {
  if (error instanceof QueryError) return error.message
  if (error instanceof AppError && error.code === 'REQUEST_TIMEOUT')
    return `the query took longer than ${reportingLimits.timeMsMax / 1000} s: choose a shorter time or fewer series`
  throw error
}

async function answer(asking: Asking, statement: Statement): Promise<AnsweredSeries[]> {
  switch (statement.kind) {
    case 'select':
      return statement.isKnown ? answerSelect(asking, statement) : []
    case 'databases':
      return table('databases', ['name'], shown(statement, [[database]]))
    case 'policies':
      return table(
        '',
        ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'],
        [['autogen', '0s', '168h0m0s', 1, true]],
      )
    case 'measurements':
      return table('measurements', ['name'], shown(statement, [[measurement]]))
    case 'fieldKeys':
      return table(
        measurement,
        ['fieldKey', 'fieldType'],
        shown(statement, [
          ['value_number', 'float'],
          ['value_string', 'string'],
        ]),
      )
    case 'tagKeys':
      return table(
        measurement,
        ['tagKey'],
        shown(
          statement,
          tagNames.map((tag) => [tag]),
        ),
      )
    case 'tagValues': {
      const states = await findStates(asking, statement.where)
      const pairs = statement.keys.flatMap((tag) => valuesOf(states, tag).map((value) => [tag, value]))
      return table(measurement, ['key', 'value'], shown(statement, pairs))
    }
  }
}

function shown<T>(statement: { isKnown: boolean; offset: number; limit: number | null }, rows: T[]): T[] {
  return statement.isKnown ? cut(rows, statement.offset, statement.limit) : []
}

function table(name: string, columns: string[], values: AnsweredSeries['values']): AnsweredSeries[] {
  return values.length === 0 ? [] : [{ name, columns, values }]
}

/** @throws QueryError when there are too many to search */
async function findStates({ db, scopeIds }: Asking, { tags }: Where): Promise<TaggedState[]> {
  const ids = possible(tags, 'dtwin_id')
  const keys = possible(tags, 'state_identifier')
  const narrowed = {
    twinIds: ids === null ? null : [...ids].filter((id) => /^[1-9]\d{0,8}$/.test(id)).map(Number),
    keys: keys === null ? null : [...keys],
  }
  const found = await readStates(db, scopeIds, narrowed, reportingLimits.candidatesMax + 1)
  if (found.length > reportingLimits.candidatesMax)
    throw new QueryError(
      `there are more than ${reportingLimits.candidatesMax} series: name dtwin_id or state_identifier in the condition`,
    )
  if (costOfMeeting(tags, found) > reportingLimits.comparisonsMax)
    throw new QueryError(
      'the regular expressions are too long for so many series: name dtwin_id or state_identifier with = in the condition',
    )
  return found.filter((state) => meets(tags, state.tags))
}

async function answerSelect(asking: Asking, select: Select): Promise<AnsweredSeries[]> {
  const plan = planOf(select, asking.nowMs)
  const states = await findStates(asking, select.where)
  const groups = cut(groupsOf(states, select.groupBy), select.seriesOffset, select.seriesLimit)
  const stateIds = groups.flatMap((group) => group.stateIds)
  if (stateIds.length === 0 || plan.span.startMs >= plan.span.endMs) return []
  if (stateIds.length > reportingLimits.statesMax)
    throw new QueryError(
      `a SELECT may read ${reportingLimits.statesMax} series, this one asks for ${stateIds.length}: narrow it down by tags`,
    )
  const rows =
    plan.kind === 'values'
      ? await valueRows(asking, select, plan, groups, states)
      : await aggregatedRows(asking, select, plan, groups)
  return groups.flatMap((group, index) => {
    const own = rows[index] ?? []
    if (own.length === 0) return []
    return [
      {
        name: measurement,
        ...(select.groupBy.length === 0 ? {} : { tags: group.tags }),
        columns: ['time', ...select.columns.map(({ as }) => as)],
        values: own.map(([timeMs, ...cells]) => [shownTime(timeMs, asking.epoch), ...cells]),
      },
    ]
  })
}

/** Rows of each group: raw values. */
async function valueRows(
  { series, timeLeft }: Asking,
  select: Select,
  { span }: Plan,
  groups: readonly Group[],
  states: readonly TaggedState[],
): Promise<Row[][]> {
  const { rowsMax } = reportingLimits
  const fields = fieldsOf(select.columns)
  const wanted = select.limit === null ? rowsMax + 1 : Math.min(select.offset + select.limit, rowsMax + 1)
  const values = await series.plainValues(
    groups.flatMap(({ stateIds }) => stateIds),
    rangeOf(span),
    {
      numbers: fields.has('value_number'),
      texts: fields.has('value_string'),
      descending: select.descending,
      timeoutMs: timeLeft(),
      perState: wanted,
      max: groups.length === 1 ? wanted : rowsMax + 1,
    },
  )
  if (values.length > rowsMax)
    throw new QueryError(
      `the answer would have more than ${rowsMax} values: choose a shorter time, fewer series, LIMIT, or a function with GROUP BY time()`,
    )
  const byState = new Map(states.map((state) => [state.id, state]))
  return inGroups(values, groups).map((own) =>
    cut(plainRows(select.columns, own, byState), select.offset, select.limit),
  )
}

/** Rows of each group: functions per interval, or over the whole range. */
async function aggregatedRows(
  { series, timeLeft }: Asking,
  select: Select,
  { span, starts }: Extract<Plan, { kind: 'intervals' }>,
  groups: readonly Group[],
): Promise<Row[][]> {
  const stateIds = groups.flatMap((group) => group.stateIds)
  if (starts.length * stateIds.length > reportingLimits.pointsMax) throw tooManyPoints()
  const summaries = await series.summaries(stateIds, rangeOf(span), starts, {
    edges: edgesOf(select.columns),
    timeoutMs: timeLeft(),
  })
  const medians = select.columns.some((column) => column.kind === 'function' && column.name === 'median')
    ? inGroups(await medianValues(series, stateIds, span, timeLeft()), groups)
    : groups.map(() => [])
  return inGroups(summaries, groups).map((own, index) => {
    const found = new Map<number, Combined>()
    for (const summary of own) {
      const before = found.get(summary.startMs)
      found.set(summary.startMs, before === undefined ? summary : combined(before, summary))
    }
    const rows = intervalRows(select, starts, found, mediansOf(medians[index] ?? [], starts))
    if (select.interval === null) {
      const time = timeOfWhole(select, found.get(span.startMs), span)
      for (const row of rows) row[0] = time
    }
    return cut(select.descending ? rows.reverse() : rows, select.offset, select.limit)
  })
}

/** @throws QueryError when there are too many: a median cannot be computed from roll-ups */
async function medianValues(
  series: SeriesFeature,
  stateIds: readonly number[],
  span: Plan['span'],
  timeoutMs: number,
): Promise<PlainValue[]> {
  const max = reportingLimits.medianValuesMax + 1
  const values = await series.plainValues(stateIds, rangeOf(span), {
    numbers: true,
    texts: false,
    descending: false,
    perState: max,
    max,
    timeoutMs,
  })
  if (values.length === max)
    throw new QueryError(
      `MEDIAN looks at ${reportingLimits.medianValuesMax} values at most: choose a shorter time, fewer series or MEAN`,
    )
  return values
}

/** @param values ordered by time */
function mediansOf(values: readonly PlainValue[], starts: readonly number[]): Map<number, number> {
  const numbers = new Map<number, number[]>()
  let at = 0
  for (const { timeMs, number } of values) {
    if (number === null) continue
    while ((starts[at + 1] ?? Number.POSITIVE_INFINITY) <= timeMs) at++
    const start = starts[at] as number
    const own = numbers.get(start)
    if (own === undefined) numbers.set(start, [number])
    else own.push(number)
  }
  return new Map([...numbers].map(([start, own]) => [start, medianOf(own) as number]))
}

function inGroups<T extends { stateId: number }>(rows: readonly T[], groups: readonly Group[]): T[][] {
  const groupOf = new Map(groups.flatMap(({ stateIds }, index) => stateIds.map((id) => [id, index] as const)))
  const found: T[][] = groups.map(() => [])
  for (const row of rows) found[groupOf.get(row.stateId) ?? -1]?.push(row)
  return found
}

function rangeOf({ startMs, endMs }: Plan['span']): { start: Date; end: Date } {
  return { start: new Date(startMs), end: new Date(endMs) }
}
