/** A row of a side-by-side comparison; a side is null if it has no such line. */
export interface DiffRow {
  left: { number: number; text: string } | null
  right: { number: number; text: string } | null
  same: boolean
}

/** With more differing lines the middle is shown as one replacement: the comparison takes n × m steps. */
const linesMax = 2000

/** Compares two texts line by line by their longest common subsequence. */
export function diffLines(before: string, after: string): DiffRow[] {
  const left = before.split('\n')
  const right = after.split('\n')
  let start = 0
  while (start < left.length && start < right.length && left[start] === right[start]) start++
  let endLeft = left.length
  let endRight = right.length
  while (endLeft > start && endRight > start && left[endLeft - 1] === right[endRight - 1]) {
    endLeft--
    endRight--
  }
  const rows: DiffRow[] = []
  const same = (i: number, j: number) =>
    rows.push({
      left: { number: i + 1, text: left[i] ?? '' },
      right: { number: j + 1, text: right[j] ?? '' },
      same: true,
    })
  for (let index = 0; index < start; index++) same(index, index)
  for (const step of middle(left.slice(start, endLeft), right.slice(start, endRight))) {
    const i = step.left === null ? null : step.left + start
    const j = step.right === null ? null : step.right + start
    if (i !== null && j !== null) same(i, j)
    else
      rows.push({
        left: i === null ? null : { number: i + 1, text: left[i] ?? '' },
        right: j === null ? null : { number: j + 1, text: right[j] ?? '' },
        same: false,
      })
  }
  for (let index = 0; endLeft + index < left.length; index++) same(endLeft + index, endRight + index)
  return joined(rows)
}

interface Step {
  left: number | null
  right: number | null
}

function middle(left: readonly string[], right: readonly string[]): Step[] {
  if (left.length > linesMax || right.length > linesMax)
    return [
      ...left.map((_, index) => ({ left: index, right: null })),
      ...right.map((_, index) => ({ left: null, right: index })),
    ]
  const width = right.length + 1
  const length = new Uint16Array((left.length + 1) * width)
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      length[i * width + j] =
        left[i] === right[j]
          ? (length[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(length[(i + 1) * width + j] ?? 0, length[i * width + j + 1] ?? 0)
    }
  }
  const steps: Step[] = []
  let i = 0
  let j = 0
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) steps.push({ left: i++, right: j++ })
    else if (
      j >= right.length ||
      (i < left.length && (length[(i + 1) * width + j] ?? 0) >= (length[i * width + j + 1] ?? 0))
    )
      steps.push({ left: i++, right: null })
    else steps.push({ left: null, right: j++ })
  }
  return steps
}

/** Pairs a block of removed lines with the block of added lines after it. */
function joined(rows: readonly DiffRow[]): DiffRow[] {
  const result: DiffRow[] = []
  for (let at = 0; at < rows.length; ) {
    const row = rows[at]
    if (!row) break
    if (row.same) {
      result.push(row)
      at++
      continue
    }
    const block: DiffRow[] = []
    for (let each = rows[at]; each && !each.same; each = rows[++at]) block.push(each)
    const removed = block.flatMap(({ left }) => left ?? [])
    const added = block.flatMap(({ right }) => right ?? [])
    for (let index = 0; index < Math.max(removed.length, added.length); index++)
      result.push({ left: removed[index] ?? null, right: added[index] ?? null, same: false })
  }
  return result
}
