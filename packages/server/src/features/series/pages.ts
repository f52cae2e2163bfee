import type { JsonValue } from '@leitstand/contract/common'
import type { Executor } from '../../platform/db/index.ts'
import { readRows, type SeriesHead } from './store.ts'

const pageSize = 1000

export interface HistoryRow {
  head: SeriesHead
  time: Date
  value: JsonValue
}

/**
 * All values of states, one state after the other, newest first, read page by page as the consumer pulls them.
 * @returns whether there are more than `rowsMax`
 */
export async function* historyPages(
  db: Executor,
  heads: readonly SeriesHead[],
  range: { start: Date | null; end: Date | null },
  rowsMax: number,
): AsyncGenerator<HistoryRow[], boolean> {
  let written = 0
  for (const head of heads) {
    let end = range.end
    for (;;) {
      // One row beyond the limit shows whether the file is truncated.
      const limit = Math.min(pageSize, rowsMax - written + 1)
      const found = await readRows(db, [head.stateId], { start: range.start, end }, limit)
      const taken = found.slice(0, rowsMax - written)
      written += taken.length
      if (taken.length > 0) yield taken.map(({ time, value }) => ({ head, time, value }))
      if (found.length > taken.length) return true
      end = found.at(-1)?.time ?? null
      if (found.length < limit || end === null) break
    }
  }
  return false
}
