import { setImmediate as turn } from 'node:timers/promises'
import type { JsonValue } from '@leitstand/contract/common'
import type { ExportCursor, ExportParams } from './params.ts'
import type { ExportValue, ReadValues, StateValues } from './rows/index.ts'
import type { ExportObject, ExportState } from './selection.ts'

/** A row: of one value in the long layout, of all values of a time in the wide one. */
export interface ExportRow {
  object: ExportObject
  timeMs: number
  measuredMs: number
  /** of the long layout */
  state: ExportState | null
  value: JsonValue
  /** by identifier, of the wide layout */
  values: Readonly<Record<string, JsonValue>>
}

/** About as many values are read at once. */
const valuesAtOnce = 5_000
const widthMax = 500
/** The fewest values of a state that are read at once. */
const depthMin = 20

/** States whose values go into the same rows. */
interface Group {
  object: ExportObject
  states: readonly ExportState[]
}

/** The states of devices and twins by row: each on its own, or all of a device or twin. */
export function groupsOf(
  objects: readonly ExportObject[],
  states: readonly ExportState[],
  layout: ExportParams['formatting']['layout'],
): Group[] {
  const byObject = Map.groupBy(states, ({ objectId }) => objectId)
  return objects.flatMap((object) => {
    const own = byObject.get(object.id) ?? []
    if (own.length === 0) return []
    return layout === 'wide' ? [{ object, states: own }] : own.map((state) => ({ object, states: [state] }))
  })
}

/** The groups that are left after a place. */
function groupsAfter(groups: readonly Group[], at: ExportCursor['at']): Group[] {
  if (at === null) return [...groups]
  return groups.filter(({ object, states }) => {
    if (object.id !== at.objectId) return object.id > at.objectId
    const stateId = states[0]?.id ?? 0
    return at.upToMs === null ? stateId > at.stateId : stateId >= at.stateId
  })
}

interface Page {
  rows: ExportRow[]
  /** where the next page begins */
  at: ExportCursor['at']
  width: number
  /** how many of the groups were read to the end */
  ended: number
}

/**
 * Reads rows of the first groups. How many groups it takes adapts to how many values they have, so that a page has neither many
 * more values than `valuesAtOnce` nor one query for each state of thousands.
 */
async function readPage(
  read: ReadValues,
  params: ExportParams,
  groups: readonly Group[],
  { at, width }: Pick<ExportCursor, 'at' | 'width'>,
): Promise<Page> {
  const [first] = groups
  if (!first) return { rows: [], at, width, ended: 0 }
  const continued =
    at !== null && at.upToMs !== null && first.object.id === at.objectId && first.states[0]?.id === at.stateId
  // Those that follow begin at another time.
  const taken = continued ? [first] : takeGroups(groups, width)
  const states = taken.flatMap((group) => group.states)
  const fromMs = continued ? (at.upToMs ?? 0) + 1 : params.startMs
  const depth = Math.max(depthMin, Math.floor(valuesAtOnce / states.length))
  const found = await read(
    params,
    states.map(({ id }) => id),
    fromMs,
    depth,
  )
  const rows: ExportRow[] = []
  for (const [ended, group] of taken.entries()) {
    const upToMs = completeUpTo(group, found)
    rows.push(...rowsOf(group, found, params.formatting.layout, upToMs))
    if (upToMs !== null) {
      const place = { objectId: group.object.id, stateId: group.states[0]?.id ?? 0, upToMs }
      return { rows, at: place, width: continued ? width : Math.max(1, Math.floor(width / 2)), ended }
    }
  }
  const last = taken.at(-1) ?? first
  return {
    rows,
    at: { objectId: last.object.id, stateId: last.states[0]?.id ?? 0, upToMs: null },
    // The rest of one state says nothing about the others.
    width: !continued && rows.length < valuesAtOnce / 2 ? Math.min(widthMax, width * 2) : width,
    ended: taken.length,
  }
}

/** As many groups as have `width` states, at least one. */
function takeGroups(groups: readonly Group[], width: number): Group[] {
  const taken: Group[] = []
  let states = 0
  for (const group of groups) {
    states += group.states.length
    if (taken.length > 0 && states > width) break
    taken.push(group)
  }
  return taken
}

/** Up to which time all states of a group are read; null: to the end. */
function completeUpTo({ states }: Group, found: ReadonlyMap<number, StateValues>): number | null {
  const limits = states.flatMap(({ id }) => found.get(id)?.upToMs ?? [])
  return limits.length === 0 ? null : Math.min(...limits)
}

function rowsOf(
  { object, states }: Group,
  found: ReadonlyMap<number, StateValues>,
  layout: ExportParams['formatting']['layout'],
  upToMs: number | null,
): ExportRow[] {
  const within = ({ placeMs }: ExportValue) => upToMs === null || placeMs <= upToMs
  if (layout === 'long') {
    return states.flatMap((state) =>
      (found.get(state.id)?.values ?? [])
        .filter(within)
        .map(({ timeMs, measuredMs, value }) => ({ object, timeMs, measuredMs, state, value, values: {} })),
    )
  }
  const byTime = new Map<number, { measuredMs: number; values: Record<string, JsonValue> }>()
  for (const state of states) {
    for (const each of found.get(state.id)?.values ?? []) {
      if (!within(each)) continue
      const row = byTime.get(each.timeMs) ?? { measuredMs: each.measuredMs, values: {} }
      row.values[state.key] = each.value
      row.measuredMs = Math.max(row.measuredMs, each.measuredMs)
      byTime.set(each.timeMs, row)
    }
  }
  return [...byTime]
    .sort(([a], [b]) => a - b)
    .map(([timeMs, row]) => ({ object, timeMs, state: null, value: null, ...row }))
}

/** Rows written without letting anything else happen. */
const writtenAtOnce = 1_000
/** Rows and time after which what was read is stored. */
const storedRows = 20_000
const storedMs = 500

/**
 * Reads some thousand rows of groups and writes them as text.
 * @returns where to go on; `isAll`: nothing is left of these groups; `cut`: there are more rows than there is room for
 */
export async function readSome(
  read: ReadValues,
  params: ExportParams,
  all: readonly Group[],
  from: Pick<ExportCursor, 'at' | 'width'> & { room: number },
  write: (rows: readonly ExportRow[]) => string,
): Promise<Pick<ExportCursor, 'at' | 'width' | 'cut'> & { text: string; rows: number; isAll: boolean }> {
  const endMs = performance.now() + storedMs
  let { at, width } = from
  let groups = groupsAfter(all, at)
  let text = ''
  let rows = 0
  for (;;) {
    const page = await readPage(read, params, groups, { at, width })
    const taken = page.rows.slice(0, from.room - rows)
    for (let first = 0; first < taken.length; first += writtenAtOnce) {
      text += write(taken.slice(first, first + writtenAtOnce))
      await turn()
    }
    rows += taken.length
    at = page.at
    width = page.width
    groups = groups.slice(page.ended)
    const cut = page.rows.length > taken.length
    const isAll = !cut && groups.length === 0
    if (cut || isAll || rows >= storedRows || performance.now() > endMs)
      return { text, rows, at, width, cut, isAll }
  }
}
